"""Trying a training's parts: what a process that is given up leaves behind, and how much one can be told."""

import os
from pathlib import Path

import pytest

from diagnostics.configs.dry_run import probe_policy, try_rewards

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
    with pytest.raises(match="the reward functions gave no answer: the attempt was cancelled before there was one"):
        try_rewards("grpo", config, is_wanted=lambda: not marker.is_file(), trust=True)
    with pytest.raises(ProcessLookupError):
        os.kill(int(marker.read_text()), 0)


@pytest.fixture
def exiting(tmp_path: Path) -> dict[str, object]:
    """A training whose reward function ends the process as if all had gone well."""
    (tmp_path / "mine.py").write_text("import os\n\ndef mine(**columns):\n    os._exit(0)\n")
    return {"reward_funcs": [f"{tmp_path}/mine.py:mine"], "max_completion_length": 4}


@pytest.mark.process
def test_a_probe_whose_process_ends_without_an_answer_says_so(exiting: dict[str, object]) -> None:
    with pytest.raises(match=r"the untrained policy gave no answer: its process ended by itself.* must return"):
        probe_policy("grpo", exiting, prompts=1, generations=2, trust=True)


@pytest.mark.process
def test_a_reward_function_that_ends_the_process_is_named_with_its_answer(exiting: dict[str, object]) -> None:
    with pytest.raises(match=r"ended by itself: mine had to score the .* answer .* must return and not exit"):
        try_rewards("grpo", exiting, trust=True)


@pytest.mark.process
def test_a_long_request_arrives_whole() -> None:
    assert try_rewards("grpo", {"task": "addition", "an_option_of_tomorrow": "x" * 1_000_000})


@pytest.mark.process
def test_a_complaint_of_several_lines_is_told_whole_on_one(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text("def mine(**columns):\n    raise ValueError('no answer key,\\nno score')\n")
    with pytest.raises(match=r"mine.*no answer key, no score"):
        try_rewards("grpo", {"reward_funcs": [f"{tmp_path}/mine.py:mine"]}, trust=True)
