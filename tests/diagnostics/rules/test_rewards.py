"""Tests of what the highest reward is, and which reward functions are about form."""

from collections.abc import Callable
from typing import Any

import pytest

from diagnostics.model.run import Run
from diagnostics.rules.rewards import full_marks, has_risen, rewards_form, spread_by_batches

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


FALLEN = "0.63 -0.86 -0.6 -0.1..0.05x10 0.05x60"  # of a run of TRL's PPO whose first update wrecked the policy


def test_what_fell_far_below_its_first_point_and_climbed_a_little_has_not_risen(make_run: MakeRun) -> None:
    assert has_risen(make_run("ppo", score=FALLEN.replace("0.63", "-0.9")).get("score"))
    assert not has_risen(make_run("ppo", score=FALLEN).get("score"))


def test_the_episodes_of_a_step_are_the_answers_of_a_batch(make_run: MakeRun) -> None:
    score = "0.4 0.6 0.5 0.45 0.55 " * 8
    known = make_run("ppo", score=score, config={"batch_size": 16})
    counted = make_run("ppo", score=score, episodes="16..640x40")
    spread = spread_by_batches(known, known.series["score"])
    assert spread is not None
    assert spread_by_batches(counted, counted.series["score"]) == pytest.approx(spread)
    assert spread_by_batches(make_run("ppo", score=score), known.series["score"]) is None
