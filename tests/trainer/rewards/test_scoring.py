import math
from pathlib import Path

import pytest

from trainer.rewards import get_reward_funcs
from trainer.rewards.scoring import score

ROWS = [{"prompt": "a"}, {"prompt": "b"}, {"prompt": "c"}]


def functions(folder: Path, returned: str):
    file = folder / "rewards.py"
    file.write_text(f"from math import nan\ndef mine(prompts, completions, **columns):\n    return {returned}\n")
    return get_reward_funcs([f"{file}:mine", "constant:1"])


def test_rewards_are_logged_raw_and_added_with_their_weights(tmp_path):
    scores = score(functions(tmp_path, "[1, 2, 6]"), [0.5, 2.0], ROWS, ["x"] * 3)
    assert scores.total_B.tolist() == [2.5, 3.0, 5.0]
    assert scores.metrics()["rewards/mine/mean"] == 3.0
    assert scores.metrics()["rewards/mine/std"] == pytest.approx(7**0.5)


def test_what_cannot_be_scored_counts_in_no_mean(tmp_path):
    scores = score(functions(tmp_path, "[1, None, 3]"), [], ROWS, ["x"] * 3)
    assert scores.metrics()["rewards/mine/mean"] == 2.0
    assert scores.total_B.tolist() == [2.0, 1.0, 4.0]
    assert scores.of_completions()[1] == {"constant": 1.0}


def test_a_nan_is_kept_as_evidence(tmp_path):
    scores = score(functions(tmp_path, "[1, nan, 3]"), [], ROWS, ["x"] * 3)
    assert math.isnan(scores.metrics()["rewards/mine/mean"])
    assert math.isnan(scores.total_B[1].item())
    assert scores.scorable_B.tolist() == [True, True, True]
