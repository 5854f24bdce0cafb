"""Stopping and suspending from outside, as shown on the page."""

import os
import shutil
import signal
from collections.abc import Callable
from pathlib import Path
from typing import Any

from playwright.sync_api import expect

Fixture = Callable[..., Any]


def test_a_suspended_training_is_said_to_be_so_until_it_goes_on_and_is_stopped(
    start_training: Fixture, start_dashboard: Fixture, open_screen: Fixture, tmp_path: Path
) -> None:
    training = start_training(tmp_path / "runs" / "a", "grpo", "--max_steps", "5000")
    page = open_screen(start_dashboard(tmp_path / "runs").url_of(training.run_dir)).page
    pid = training.status["pid"]
    os.kill(pid, signal.SIGSTOP)
    suspended = page.get_by_text(f"suspended: kill -CONT {pid} lets its process go on")
    expect(suspended.first).to_be_visible()
    os.kill(pid, signal.SIGCONT)
    expect(suspended).to_have_count(0)
    page.get_by_role("button", name="Stop").click()
    training.wait_for_end()
    assert training.status["state"] == "stopped"


def test_stop_on_a_copy_of_a_running_training_is_refused_and_stops_nothing(
    start_training: Fixture, start_dashboard: Fixture, open_screen: Fixture, tmp_path: Path
) -> None:
    training = start_training(tmp_path / "runs" / "a", "grpo", "--max_steps", "5000")
    shutil.copytree(training.run_dir, tmp_path / "runs" / "copy")
    page = open_screen(start_dashboard(tmp_path / "runs").url_of(tmp_path / "runs" / "copy")).page
    page.get_by_role("button", name="Stop").click()
    expect(page.get_by_text("the folder is a copy or was altered").first).to_be_visible()
    seen = training.step
    training.wait_for_step(seen + 1)
