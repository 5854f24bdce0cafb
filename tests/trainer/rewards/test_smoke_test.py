"""Trying reward functions before a training, with real functions, files and processes."""

import io
import json
import math
from pathlib import Path

import pytest

from diagnostics.configs.dry_run import TrialError, try_rewards
from trainer.config.options import ConfigError
from trainer.rewards import RewardError
from trainer.rewards.smoke_test import config_of_request, smoke_test


def smoke_trials(algorithm: str, **config: object) -> list[dict[str, object]]:
    request = io.StringIO(json.dumps({"algorithm": algorithm, "config": config}))
    found: list[dict[str, object]] = smoke_test(config_of_request(request))["trials"]
    return found


def test_right_answers_are_tried_where_the_rows_have_one() -> None:
    trials = smoke_trials("grpo", task="addition")
    assert {trial["kind"] for trial in trials} == {"gold", "empty", "junk", "extreme"}
    best = {trial["prompt"]: trial["score"] for trial in trials if trial["kind"] == "gold" and trial["score"]}
    assert set(best.values()) == {1.0}
    assert len(best) == 4
    assert all(trial["score"] == 0.0 for trial in trials if trial["kind"] == "junk")


def test_without_a_column_of_answers_nothing_is_surely_right() -> None:
    trials = smoke_trials("ppo", task="remarks")
    assert {trial["kind"] for trial in trials} == {"empty", "junk", "extreme"}
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
        config_of_request(io.StringIO(request_text))


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
    with pytest.raises(TrialError, match="gave no answer within 2 s"):
        try_rewards("grpo", {"reward_funcs": (f"{tmp_path}/mine.py:slow",)}, seconds=2.0, trust=True)


@pytest.mark.process
def test_what_goes_wrong_there_is_told_here(tmp_path: Path) -> None:
    with pytest.raises(TrialError, match="there is no file"):
        try_rewards("grpo", {"reward_funcs": (f"{tmp_path}/nowhere.py:slow",)})
