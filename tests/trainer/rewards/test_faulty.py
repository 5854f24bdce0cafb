"""Deliberately wrong rewards: wrong in exactly the way they document."""

import math

from trainer.rewards import RewardFunc, get_reward_funcs


def reward(name: str) -> RewardFunc:
    (func,) = get_reward_funcs([name])
    return func


def test_each_exclamation_mark_earns_a_bonus() -> None:
    assert reward("exclamation")(["a", "b"], ["well!!", "well."]) == [0.6, 0.0]
    assert reward("exclamation:2")(["a"], ["well!!"]) == [4.0]


def test_a_constant_reward_is_the_same_for_all() -> None:
    assert reward("constant")(["a", "b"], ["x", "y"]) == [0.0, 0.0]
    assert reward("constant:-1.5")(["a"], ["x"]) == [-1.5]


def test_a_random_reward_repeats_with_its_seed() -> None:
    first, again, other = reward("random:1"), reward("random:1"), reward("random:2")

    drawn = [first(["a"] * 3, ["x"] * 3), first(["a"] * 3, ["x"] * 3)]

    assert drawn == [again(["a"] * 3, ["x"] * 3), again(["a"] * 3, ["x"] * 3)]
    assert drawn[0] != drawn[1]
    assert drawn[0] != other(["a"] * 3, ["x"] * 3)
    assert all(value is not None and 0 <= value < 1 for value in drawn[0])


def test_a_faulty_reward_turns_to_nan_after_its_number_of_calls() -> None:
    faulty = reward("nan_after:2")

    calls = [faulty(["a", "b"], ["x", "y"]) for _ in range(4)]

    assert calls[:2] == [[0.0, 0.0], [0.0, 0.0]]
    assert all(value is not None and math.isnan(value) for call in calls[2:] for value in call)
