"""The rewards for the form of a completion in closed cases."""

import pytest

from trainer.rewards import RewardFunc, get_reward_funcs
from trainer.rewards.format import repeated_share


def reward(name: str) -> RewardFunc:
    (func,) = get_reward_funcs([name])
    return func


def test_length_is_counted_in_units_of_characters() -> None:
    assert reward("length")(["a"], ["12345"]) == [0.5]
    assert reward("length:5")(["a"], ["12345"]) == [1.0]


@pytest.mark.parametrize(
    ("completion", "expected"),
    [
        ("<think>7 + 5</think><answer>12</answer>", 1.0),
        ("<think>\n7 + 5\n</think>\n\n<answer>\n12\n</answer>\n", 1.0),
        ("<think></think><answer></answer>", 1.0),
        ("<answer>12</answer>", 0.0),
        ("<think>7</think><answer>12", 0.0),
        ("<answer>12</answer><think>7</think>", 0.0),
        ("<think>7</think><answer>12</answer> I hope", 0.0),
        ("<think>7</think><answer>1</answer><answer>2</answer>", 0.0),
        ("<think><think>7</think><answer>12</answer>", 0.0),
    ],
)
def test_the_format_is_a_thought_and_an_answer_each_once_and_nothing_beside(completion: str, expected: float) -> None:
    assert reward("format")(["p"], [completion]) == [expected]


def test_a_pattern_may_be_found_anywhere_and_hold_commas_and_colons() -> None:
    assert reward(r"regex:\d{1,3}:\d")(["p"] * 3, ["at 12:5", "at 12", "12345:6"]) == [1.0, 0.0, 1.0]
    assert reward("regex:^a.*z$")(["p"] * 2, ["a\nz", "ba z"]) == [1.0, 0.0]


def test_a_keyword_counts_as_a_whole_word_in_any_case() -> None:
    completions = ["Please do.", "pleased", "do, PLEASE!", "unplease"]
    assert reward("keyword:please")(["p"] * 4, completions) == [1.0, 0.0, 1.0, 0.0]
    assert reward("keyword:c++")(["p"] * 2, ["I use C++.", "I use C."]) == [1.0, 0.0]


@pytest.mark.parametrize(
    ("text", "share"),
    [
        ("", 0.0),
        ("a b", 0.0),
        ("a b c d", 0.0),
        ("a b c a b c", 0.25),
        ("no no no no no", 2 / 3),
        ("No no NO no!", 0.5),
    ],
)
def test_the_repeated_share_counts_trigrams_that_occurred_before(text: str, share: float) -> None:
    assert repeated_share(text) == pytest.approx(share)


def test_repetition_costs_its_share_times_the_weight() -> None:
    assert reward("repetition_penalty")(["p"] * 2, ["a b c a b c", "a b c"]) == [-0.25, 0.0]
    assert reward("repetition_penalty:2")(["p"], ["a b c a b c"]) == [-0.5]
