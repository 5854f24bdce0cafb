"""Trying a training's parts: what a process that is given up leaves behind, and how much one can be told."""

import os
from pathlib import Path

import pytest

from diagnostics.configs.dry_run import TrialError, try_rewards

SLOW = """
import os, pathlib, time
def slow(completions, **columns):
    pathlib.Path({marker!r}).write_text(str(os.getpid()))
    time.sleep(600)
"""


@pytest.mark.process
def test_what_is_not_wanted_any_more_is_killed_at_once(tmp_path: Path) -> None:
    marker = tmp_path / "pid"
    (tmp_path / "mine.py").write_text(SLOW.format(marker=str(marker)))
    config = {"reward_funcs": [f"{tmp_path}/mine.py:slow"]}
    with pytest.raises(TrialError, match="the reward functions: given up"):
        try_rewards("grpo", config, is_wanted=lambda: not marker.is_file(), trust=True)
    with pytest.raises(ProcessLookupError):
        os.kill(int(marker.read_text()), 0)


@pytest.mark.process
def test_a_long_request_arrives_whole() -> None:
    assert try_rewards("grpo", {"task": "addition", "an_option_of_tomorrow": "x" * 1_000_000})


@pytest.mark.process
def test_a_complaint_of_several_lines_is_told_whole_on_one(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text("def mine(**columns):\n    raise ValueError('no answer key,\\nno score')\n")
    with pytest.raises(TrialError, match=r"mine.*no answer key, no score"):
        try_rewards("grpo", {"reward_funcs": [f"{tmp_path}/mine.py:mine"]}, trust=True)
