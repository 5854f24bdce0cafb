"""Trying reward functions before a training, with real functions, files and processes."""

import io
import json
import math
from pathlib import Path

import pytest

from diagnostics.configs.dry_run import try_rewards
from trainer.config.options import ConfigError
from trainer.rewards import RewardError
from trainer.rewards.smoke_test import read_trial_request, smoke_test


def smoke_trials(algorithm: str, **config: object) -> list[dict[str, object]]:
    request = io.StringIO(json.dumps({"algorithm": algorithm, "config": config}))
    config_read, _ = read_trial_request(request)
    return [trial for event in smoke_test(config_read) for trial in event.get("trials", ())]


def test_right_answers_are_tried_where_the_rows_have_one() -> None:
    trials = smoke_trials("grpo", task="addition")
    assert {trial["kind"] for trial in trials} == {"gold", "wrong", "empty", "junk", "extreme", "attack"}
    best = {trial["prompt"]: trial["score"] for trial in trials if trial["kind"] == "gold" and trial["score"]}
    assert set(best.values()) == {1.0}
    assert len(best) == 4
    assert all(trial["score"] == 0.0 for trial in trials if trial["kind"] == "junk")


def test_without_a_column_of_answers_nothing_is_surely_right() -> None:
    trials = smoke_trials("ppo", task="remarks")
    assert {trial["kind"] for trial in trials} == {"empty", "junk", "extreme", "attack"}
    scores = {str(trial["answer"]): float(str(trial["score"])) for trial in trials}
    assert (
        scores["This is wonderful, great, excellent, the best."] > scores["This is terrible, awful, boring, the worst."]
    )


def test_a_dataset_and_functions_of_ones_own_are_tried(tmp_path: Path) -> None:
    (tmp_path / "rows.jsonl").write_text('{"prompt": "2+2=", "solution": 4, "hint": "even"}\n')
    (tmp_path / "mine.py").write_text(
        "def hinted(completions, hint, **columns):\n"
        "    return [None if c == '' else float(h in c) for c, h in zip(completions, hint)]\n"
    )
    config = {"dataset": str(tmp_path / "rows.jsonl"), "reward_funcs": ["numeric_match", f"{tmp_path}/mine.py:hinted"]}
    trials = smoke_trials("grpo", **config)
    assert {trial["function"] for trial in trials} == {"numeric_match", "hinted"}
    assert [t["score"] for t in trials if t["function"] == "hinted" and t["kind"] == "empty"] == [None]


def test_a_nan_arrives_as_a_nan() -> None:
    assert any(math.isnan(float(str(trial["score"]))) for trial in smoke_trials("grpo", reward_funcs=["nan_after:0.5"]))


def test_options_of_another_version_are_passed_over() -> None:
    assert smoke_trials("grpo", task="addition", an_option_of_tomorrow=1)


@pytest.mark.parametrize("request_text", ["", "[]", '{"algorithm": "grpo"}'])
def test_a_request_that_is_none_is_refused(request_text: str) -> None:
    with pytest.raises(ConfigError, match="the request must be"):
        read_trial_request(io.StringIO(request_text))


def test_an_unknown_reward_is_told() -> None:
    with pytest.raises(RewardError, match="unknown reward function 'kindness'"):
        smoke_trials("grpo", reward_funcs=["kindness"])


@pytest.mark.process
def test_the_users_code_runs_in_another_process(tmp_path: Path) -> None:
    marker = tmp_path / "pid"
    (tmp_path / "mine.py").write_text(
        f"import os, pathlib\npathlib.Path({str(marker)!r}).write_text(str(os.getpid()))\n"
        "def mine(completions, **columns):\n    return [float(len(c)) for c in completions]\n"
    )
    trials = try_rewards("grpo", {"reward_funcs": (f"{tmp_path}/mine.py:mine",)}, trust=True)
    assert {trial.function for trial in trials} == {"mine"}
    assert marker.read_text().isdigit()


@pytest.mark.process
def test_a_function_that_never_answers_is_given_up(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text("import time\ndef slow(completions, **columns):\n    time.sleep(600)\n")
    with pytest.raises(match="gave no answer within 2 s"):
        try_rewards("grpo", {"reward_funcs": (f"{tmp_path}/mine.py:slow",)}, seconds=2.0, trust=True)


HANGS = """
import time
def fine(completions, answer, **columns):
    return [float(c == a) for c, a in zip(completions, answer)]
def stuck(completions, **columns):
    if any("wait" in c for c in completions):
        time.sleep(600)
    return [0.0] * len(completions)
"""


@pytest.mark.process
def test_a_function_that_hangs_on_one_answer_is_cut_off_and_named_and_the_others_are_tried(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(HANGS)
    funcs = (f"{tmp_path}/mine.py:stuck", f"{tmp_path}/mine.py:fine")
    trials = try_rewards("grpo", {"task": "addition", "reward_funcs": funcs}, trust=True, answer_seconds=1.0)
    assert [(t.function, t.policy) for t in trials if t.is_hung] == [("stuck", "repeated-keyword")]
    assert {t.score for t in trials if t.function == "fine" and t.kind == "wrong"} == {0.0}


@pytest.mark.process
def test_what_a_library_prints_between_the_answers_is_passed_over(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(
        "import os\ndef loud(completions, **columns):\n"
        "    os.write(1, b'[1, 2]\\nloading\\n')\n    return [float(len(c)) for c in completions]\n"
    )
    trials = try_rewards("grpo", {"reward_funcs": (f"{tmp_path}/mine.py:loud",)}, trust=True)
    assert {trial.function for trial in trials} == {"loud"}


@pytest.mark.process
def test_what_goes_wrong_there_is_told_here(tmp_path: Path) -> None:
    with pytest.raises(match="there is no file"):
        try_rewards("grpo", {"reward_funcs": (f"{tmp_path}/nowhere.py:slow",)})
