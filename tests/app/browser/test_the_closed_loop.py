"""The loop closed, as a user sees it: a sick training, its alert, each fix of it tried, and the one that worked."""

import json
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.app.browser.conftest import wait_until
from trainer.launch.queue import Queue, State

Fixture = Callable[..., Any]

FOUND = "Each update changes the policy too much."
PATIENCE = 120_000  # milliseconds for two short trainings on busy cores


@pytest.fixture
def alerts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[list[dict[str, Any]]]:
    """What a webhook receives, which the user's alerts file names."""
    received: list[dict[str, Any]] = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            received.append(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
            self.send_response(200)
            self.end_headers()

        def log_message(self, *_: Any) -> None:
            """Nothing on the terminal."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    file = tmp_path / "data" / "rlvitals" / "alerts.toml"
    file.parent.mkdir(parents=True)
    file.write_text(f'[[send]]\nwebhook = "http://127.0.0.1:{server.server_port}"\n')
    yield received
    server.shutdown()
    server.server_close()


def fill(page: Page, name: str, value: str) -> None:
    field = page.get_by_role("textbox", name=name, exact=True)
    expect(field).to_have_count(1)  # that of the preset before has gone
    field.fill(value)
    field.press("Enter")
    expect(page.get_by_text(f"--{name} {value}")).to_be_visible()


def test_of_two_fixes_of_a_sick_training_the_one_that_works_is_found(
    alerts: list[dict[str, Any]],
    start_dashboard: Fixture,
    open_screen: Fixture,
    training_in: Fixture,
    tmp_path: Path,
) -> None:
    runs, queue = tmp_path / "runs", Queue.of_user()
    runs.mkdir()
    queue.set_slots(cpu=2, gpu=0)
    page = open_screen(start_dashboard(runs).page("launch")).page
    page.get_by_role("combobox", name="Preset").click()
    page.get_by_role("option", name="Ratio far from 1").click()
    expect(page.get_by_text("--recipe ppo-ratio-explosion")).to_be_visible()  # the fields are the preset's
    fill(page, "max_steps", "4")
    fill(page, "per_device_train_batch_size", "16")
    page.get_by_text("Optimizer and schedule").click()
    fill(page, "max_grad_norm", "1.0")
    page.get_by_text("Loss and KL penalty").click()
    fill(page, "cliprange", "0.2")
    page.get_by_role("button", name="Start training").click()

    page.wait_for_url("**run=**")
    expect(page.get_by_text(FOUND)).to_be_visible(timeout=PATIENCE)
    told = wait_until(lambda: [alert for alert in alerts if alert["kind"] == "opened"], "the alert")
    assert FOUND in told[0]["title"]

    page.get_by_role("button", name="Try each fix").click()
    page.get_by_role("link", name="Compare the 2 that were tried").click()
    expect(page.get_by_text("(B): worked, what A had is gone.")).to_be_visible(timeout=PATIENCE)
    expect(page.get_by_text("(C): did not work, what A had is still so.")).to_be_visible(timeout=PATIENCE)
    expect(page.get_by_text("One seed each: a difference of their rewards may be chance.")).to_be_visible()
    wait_until(lambda: [job.state for job in queue.jobs()] == [State.FINISHED] * 3, "the jobs to be accounted for")
    names = [path.name for path in sorted(runs.iterdir()) if path.is_dir()]
    assert names == [
        "ppo-ratio-explosion-1",
        "ppo-ratio-explosion-learning_rate-0.0001",
        "ppo-ratio-explosion-num_ppo_epochs-4",
    ]
