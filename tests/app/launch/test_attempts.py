"""Settings tried before a training, with real processes of the trainer."""

import subprocess
import sys
import time
from pathlib import Path

import pytest

from app.launch.attempts import Attempt

pytestmark = pytest.mark.process

PATIENCE = 60.0  # seconds: torch alone takes ten to import when the cores are busy
ADDITION = {"task": "addition", "max_completion_length": 6}
ENDLESS = """
import time

def endless(completions, **columns):
    time.sleep(600)
"""
LEAVES = """
import sys, time
from app.launch.attempts import Attempt
Attempt("grpo", {"task": "addition", "reward_funcs": [sys.argv[1]]})
time.sleep(1)
"""


def wait_for_end(attempt: Attempt) -> None:
    deadline = time.monotonic() + PATIENCE
    while attempt.is_going_on and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not attempt.is_going_on


def test_the_rewards_and_the_policy_are_tried_beside_the_page() -> None:
    attempt = Attempt("grpo", ADDITION)
    assert attempt.is_going_on
    wait_for_end(attempt)
    assert {trial.function for trial in attempt.trials} == {"addition_accuracy"}
    assert (len(attempt.probe.lengths), attempt.probe.room) == (32, 24)


def test_one_that_is_cancelled_ends_at_once_and_knows_nothing() -> None:
    attempt = Attempt("grpo", ADDITION)
    attempt.cancel()
    assert attempt.is_cancelled
    assert not attempt.is_going_on
    assert (attempt.trials, attempt.probe) == (None, None)


def test_a_dashboard_that_ends_takes_it_along(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(ENDLESS)
    command = [sys.executable, "-c", LEAVES, f"{tmp_path}/mine.py:endless"]
    assert subprocess.run(command, check=False, timeout=PATIENCE).returncode == 0
