"""Tests of what the highest reward is, and which reward functions are about form."""

from collections.abc import Callable
from typing import Any

import pytest

from diagnostics.model.run import Run
from diagnostics.rules.rewards import full_marks, rewards_form

MakeRun = Callable[..., Run]


@pytest.mark.parametrize(
    ("functions", "config", "highest"),
    [
        ({}, {}, 1.0),
        ({"a": "0..1x9"}, {}, 1.0),
        ({"a": "0..1x9", "b": "0.5x9"}, {}, 2.0),
        ({"a": "0..1x9", "b": "0.5x9"}, {"reward_weights": [1.0, 0.5]}, 1.5),
        ({"a": "0..1x9", "b": "-0.5x9"}, {}, None),
        ({"a": "0..7x9"}, {}, None),
    ],
)
def test_full_marks_are_the_sum_of_graders_of_zero_to_one(
    make_run: MakeRun, functions: dict[str, str], config: dict[str, Any], highest: float | None
) -> None:
    means = {f"reward_func_mean/{name}": values for name, values in functions.items()}
    assert full_marks(make_run("grpo", reward="0.5x9", functions=means, config=config)) == highest


def test_the_score_and_not_the_penalised_reward_has_an_end(make_run: MakeRun) -> None:
    assert full_marks(make_run("ppo", score="0.5x9", rlhf_reward="-3x9")) == 1.0
    assert full_marks(make_run("ppo", rlhf_reward="0.5x9")) is None


@pytest.mark.parametrize(
    ("function", "is_form"),
    [
        ("format_reward", True),
        ("soft_overlong_punishment", True),
        ("xmlcount_reward_func", True),
        ("tag_count", True),
        ("accuracy_reward", False),
        ("correctness", False),
        ("exact_match", False),
    ],
)
def test_a_name_tells_form_from_content(function: str, is_form: bool) -> None:
    assert rewards_form(function) is is_form
