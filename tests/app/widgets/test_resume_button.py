"""The Resume button of the Run page: when it appears, and that it really resumes a run."""

import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from diagnostics.api import open_run
from diagnostics.runlog import RunLog
from trainer import launch
from trainer.launch.resuming import STATE_FILE, newest_resumable
from trainer.launch.starting import start

PAGE = """
import os
from app.views import run
run.render(os.environ["TEST_RUN"], os.environ.get("TEST_READ_ONLY") == "1")
"""


def labels(path: Path, monkeypatch: pytest.MonkeyPatch, read_only: bool = False) -> list[str]:
    return [button.label for button in open_page(path, monkeypatch, read_only).button]


def open_page(path: Path, monkeypatch: pytest.MonkeyPatch, read_only: bool = False) -> AppTest:
    monkeypatch.setenv("TEST_RUN", str(path))
    monkeypatch.setenv("TEST_READ_ONLY", "1" if read_only else "0")
    test = AppTest.from_string(PAGE, default_timeout=60).run()
    assert not test.exception
    return test


def ended_run(path: Path, state: str, is_saved: bool, config: Mapping[str, Any] | None = None) -> Path:
    log = RunLog(path, algorithm="grpo", total=9, config=config)
    log.log(4, {"reward": 0.5})
    log.close(state)
    if is_saved:
        (path / "checkpoints" / "step-4").mkdir(parents=True)
        (path / "checkpoints" / "step-4" / STATE_FILE).touch()
    return path


def test_the_button_stands_only_where_a_run_ended_early(tmp_path, monkeypatch):
    assert "Resume" in labels(ended_run(tmp_path / "a", "stopped", is_saved=True), monkeypatch)
    assert "Resume" in labels(ended_run(tmp_path / "b", "failed", is_saved=True), monkeypatch)
    assert "Resume" in labels(ended_run(tmp_path / "c", "stopped", is_saved=False), monkeypatch)
    assert "Resume" not in labels(ended_run(tmp_path / "d", "finished", is_saved=True), monkeypatch)
    assert "Resume" not in labels(tmp_path / "a", monkeypatch, read_only=True)


@pytest.mark.process
def test_a_click_goes_on_with_the_run_to_its_end(tmp_path, monkeypatch):
    path = tmp_path / "a"
    words = ["train", "grpo", "--max_steps", "40", "--per_device_train_batch_size", "16", "--report_to", "none"]
    start([*words, "--save_steps", "2"], path)
    wait_for(lambda: newest_resumable(path) is not None)
    launch.stop(path)
    wait_for(lambda: open_run(path).status.state == "stopped")
    stopped_at = open_run(path).status.step
    test = open_page(path, monkeypatch)
    next(button for button in test.button if button.label == "Resume").click().run()
    assert not test.exception
    wait_for(lambda: open_run(path).status.state == "finished")
    run = open_run(path)
    assert (run.status.step, run.data_health.rewinds, run.data_health.duplicates) == (40, 0, 0)
    assert stopped_at is not None
    assert stopped_at < 40
    assert f"Resumed after step {stopped_at}; points of a first attempt are drawn faint." in [
        caption.value for caption in open_page(path, monkeypatch).caption
    ]


@pytest.mark.process
def test_a_refusal_stands_below_the_button(tmp_path, monkeypatch):
    path = ended_run(tmp_path / "a", "stopped", is_saved=True, config={"model_name_or_path": "/moved/away"})
    test = open_page(path, monkeypatch)
    next(button for button in test.button if button.label == "Resume").click().run()
    assert any("model_name_or_path is /moved/away" in caption.value.replace("\\", "") for caption in test.caption)


def wait_for(condition: Callable[[], bool], seconds: float = 120.0) -> None:
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, "it did not happen in time"
        time.sleep(0.1)
