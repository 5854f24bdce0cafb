"""Tests of what the callback takes from a trainer's memory: completions, and the NaN that its means leave out."""

import math
from collections import deque
from types import SimpleNamespace
from typing import Any

from diagnostics.callback.completions import LONGEST_TEXT, Completions
from diagnostics.callback.trainer import metrics_of, settings_of


def trainer(**held: Any) -> Any:
    """What GRPOTrainer holds of two groups of two answers (TRL 1.16, grpo_trainer.py)."""
    logs = {
        "prompt": deque(["1+1=", "1+1=", "2+2=", "2+2="]),
        "completion": deque(["2", "3", "4", "5"]),
        "rewards": {"right": deque([1.0, 0.0, 1.0, math.nan]), "short": deque([0.5, 0.5, None, math.nan])},
        "advantages": deque([1.0, -1.0, 0.5, -0.5]),
    }
    return SimpleNamespace(_logs=logs | held, num_generations=2, reward_weights=[2.0, 1.0])


def test_each_row_has_its_texts_rewards_weighted_total_advantage_and_group() -> None:
    rows = Completions(trainer(), 64).newest()
    assert rows[0] == {
        "query": "1+1=", "response": "2", "rewards": {"right": 1.0, "short": 0.5}, "score": 2.5, "advantage": 1.0,
        "group": 0,
    }  # fmt: skip
    assert [row["group"] for row in rows] == [0, 0, 1, 1]
    assert (rows[2]["score"], math.isnan(rows[3]["score"])) == (2.0, True)
    assert len(Completions(trainer(), 3).newest()) == 3


def test_a_generation_is_given_once_and_an_evaluations_not_at_all() -> None:
    held = trainer()
    completions = Completions(held, 64)
    assert [len(completions.newest()) for _ in range(2)] == [4, 0]
    held._logs["completion"] = deque(["e", "v", "a", "l"])
    completions.skip()
    assert completions.newest() == []
    held._logs["completion"] = deque(["6", "7", "8", "9"])
    assert [row["response"] for row in completions.newest()] == ["6", "7", "8", "9"]


def test_the_same_answers_to_other_prompts_are_another_generation() -> None:
    held = trainer(advantages=deque([0.0] * 4))
    completions = Completions(held, 64)
    assert len(completions.newest()) == 4
    held._logs["prompt"] = deque(["3+3=", "3+3=", "4+4=", "4+4="])
    assert [row["query"] for row in completions.newest()] == ["3+3=", "3+3=", "4+4=", "4+4="]


def test_conversations_become_text_and_long_ones_are_cut() -> None:
    asked = [
        {"role": "system", "content": "Be brief."},
        {"role": "user", "content": [{"type": "text", "text": "1+1?"}]},
    ]
    answered = [{"role": "assistant", "content": "2" * (LONGEST_TEXT + 1)}]
    (row,) = Completions(trainer(prompt=[asked], completion=[answered]), 64).newest()
    assert row["query"] == "system: Be brief.\nuser: 1+1?"
    assert row["response"] == "2" * LONGEST_TEXT


def test_a_trainer_without_completions_gives_none() -> None:
    assert Completions(None, 64).newest() == []
    assert Completions(SimpleNamespace(_logs=None), 64).newest() == []


def test_a_nan_that_the_trainer_would_average_away_is_logged_but_not_a_reward_that_is_none() -> None:
    held = SimpleNamespace(_metrics={"train": {"kl": [0.1, math.nan], "rewards/f/mean": [math.nan]}, "eval": {}})
    found = metrics_of({"loss": 0.5, "kl": 0.1, "rewards/f/mean": None, "epoch": 1, "name": "x"}, held)
    assert math.isnan(found.pop("kl"))
    assert found == {"loss": 0.5, "epoch": 1.0}
    assert metrics_of({"eval_reward": 1.0}, held) == {"eval/reward": 1.0}


def test_settings_are_the_arguments_over_the_models_config_as_plain_data() -> None:
    args = SimpleNamespace(to_dict=lambda: {"learning_rate": 1e-6, "vocab_size": 2, "callable": print})
    config = SimpleNamespace(
        to_dict=lambda: {"vocab_size": 1, "id2label": {0: "a"}, "huge": ["x" * 3000], "seed": 2**70},
        _name_or_path="org/model",
    )
    assert settings_of(args, SimpleNamespace(config=config)) == {
        "vocab_size": 2, "id2label": {"0": "a"}, "model_name_or_path": "org/model", "learning_rate": 1e-6,
    }  # fmt: skip
