"""A log from somebody else in a real browser: its code asks first, and its links and address lead nowhere else."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from diagnostics.runlog import RUN_FILE, RunLog
from trainer.config.algorithms import make_config

Fixture = Callable[..., Any]

REWARD = """
import pathlib
pathlib.Path({marker!r}).touch()

def f(completions, **columns):
    return [float(len(text)) for text in completions]
"""
QUESTION = "This runs code as you that is not trusted yet."
SMALL = {"max_steps": 2, "num_generations": 2, "per_device_train_batch_size": 2, "report_to": "none"}


@pytest.fixture
def foreign(tmp_path: Path) -> Path:
    """A run in the folder shown, nearly all of whose answers are cut off, with a reward file of its own."""
    directory = tmp_path / "runs" / "short-1"
    reward = tmp_path / "theirs" / "reward.py"
    reward.parent.mkdir()
    reward.write_text(REWARD.format(marker=str(tmp_path / "ran")))
    values = {"task": "addition", "max_completion_length": 3, "reward_funcs": [f"{reward}:f"], **SMALL}
    config = make_config("grpo", values).to_dict()
    with RunLog(directory, algorithm="grpo", task="addition", config=config, total=60) as log:
        for step in range(1, 61):
            lengths = {"completions/mean_length": 3.0, "completions/max_length": 3.0, "kl": 0.01}
            log.log(step, {"reward": step / 100, "reward_std": 0.3, "completions/clipped_ratio": 0.94, **lengths})
        log.close("finished")
    return directory


def relaunch(page: Page) -> None:
    button = page.get_by_role("button", name="Relaunch with this").first
    button.focus()
    button.press("Enter")


@pytest.mark.usefixtures("training_in")  # ends what is started
def test_a_run_of_somebody_else_runs_its_reward_file_only_after_a_yes_that_holds_for_its_content(
    start_dashboard: Fixture, open_screen: Fixture, foreign: Path, tmp_path: Path
) -> None:
    runs, ran, reward = foreign.parent, tmp_path / "ran", tmp_path / "theirs" / "reward.py"
    address = start_dashboard(runs).url_of(foreign)
    page = open_screen(address).page
    relaunch(page)
    expect(page.get_by_text(QUESTION)).to_be_visible()
    expect(page.get_by_text(str(reward)).first).to_be_visible()
    assert not ran.exists()
    assert [path.parent.name for path in runs.glob(f"*/{RUN_FILE}")] == ["short-1"]

    page.get_by_role("button", name="Trust and relaunch").click()
    page.wait_for_url("**short-2")
    assert ran.exists()

    again = open_screen(address).page
    relaunch(again)
    again.wait_for_url("**short-3")

    ran.unlink()
    reward.write_text(reward.read_text() + "# changed\n")
    changed = open_screen(address).page
    relaunch(changed)
    expect(changed.get_by_text(QUESTION)).to_be_visible()
    assert not ran.exists()
    changed.get_by_role("button", name="Not now").click()
    expect(changed.get_by_text(QUESTION)).to_have_count(0)
    assert sorted(path.parent.name for path in runs.glob(f"*/{RUN_FILE}")) == ["short-1", "short-2", "short-3"]


def test_an_address_opens_nothing_outside_of_the_folders_shown(
    start_dashboard: Fixture, open_screen: Fixture, foreign: Path, tmp_path: Path
) -> None:
    shown = tmp_path / "shown"
    shown.mkdir()
    (shown / "linked").symlink_to(foreign)
    dashboard = start_dashboard(shown)
    for path in (foreign, shown / "linked", shown / ".." / "runs" / "short-1", tmp_path / ("a" * 5000)):
        page = open_screen(dashboard.url_of(path)).page
        expect(page.get_by_text("is not below the folders that this page shows")).to_be_visible()
        expect(page.get_by_text("rlvitals PATH")).to_be_visible()
        page.close()
    page = open_screen(dashboard.url).page
    expect(page.get_by_text("1 link in these folders leads outside of them and is left out.")).to_be_visible()


def test_a_file_of_a_run_that_is_a_link_elsewhere_is_not_shown(
    start_dashboard: Fixture, open_screen: Fixture, foreign: Path, tmp_path: Path
) -> None:
    secret = tmp_path / "secret.txt"
    secret.write_text("the secret")
    (foreign / "samples.jsonl").unlink(missing_ok=True)
    (foreign / "samples.jsonl").symlink_to(secret)
    page = open_screen(start_dashboard(foreign.parent).url_of(foreign)).page
    expect(page.get_by_text("it leads outside of the folders shown")).to_be_visible()
    expect(page.get_by_text("the secret")).to_have_count(0)
