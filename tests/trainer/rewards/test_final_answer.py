"""The rewards for right answers in closed cases."""

import math

import pytest

from trainer.rewards import RewardError, RewardFunc, get_reward_funcs
from trainer.rewards.final_answer import final_answer, last_number


def reward(name: str) -> RewardFunc:
    (func,) = get_reward_funcs([name])
    return func


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("42", "42"),
        (" 42\n", "42"),
        ("5 + 7 = 12\n#### 12", "12"),
        ("so \\boxed{7}, no: \\boxed{\\frac{1}{2}}.", "\\frac{1}{2}"),
        ("\\boxed{never closed", "\\boxed{never closed"),
        ("<think>maybe 3</think><answer>4</answer>", "4"),
    ],
)
def test_a_text_marks_its_answer_in_the_forms_of_the_trade(text: str, answer: str) -> None:
    assert final_answer(text) == answer


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("it costs $1,234.50 now", 1234.5),
        ("from 3 to -7", -7.0),
        ("12-5", 5.0),
        ("about 2e3 of them", 2000.0),
        ("a half: 1/2", 0.5),
        ("that is 20%", 20.0),
        ("minus −4.", -4.0),
        (".5", 0.5),
        ("3.", 3.0),
        ("1,2,3", 3.0),
        ("none", None),
        ("", None),
    ],
)
def test_the_last_number_of_a_text_is_read_as_people_write_it(text: str, number: float | None) -> None:
    assert last_number(text) == number


def test_a_division_by_zero_is_no_number_that_anything_equals() -> None:
    assert math.isnan(last_number("1/0") or 0)
    assert reward("numeric_match")(["p"], ["1/0"], answer=["0"]) == [0.0]


def test_an_exact_match_forgives_case_and_spaces_only() -> None:
    completions = ["paris", " Paris. ", "It is Paris", "\\boxed{PARIS}", "London"]
    assert reward("exact_match")(["p"] * 5, completions, answer=["Paris"] * 5) == [1.0, 1.0, 0.0, 1.0, 0.0]


def test_a_numeric_match_compares_values_whatever_their_form() -> None:
    completions = ["18", "It is 18.0.", "#### 18", "\\boxed{18}", "17 or 18, no: 17", "eighteen"]
    due = ["She makes 9 * 2 = 18 dollars.\n#### 18"] * 6
    assert reward("numeric_match")(["p"] * 6, completions, answer=due) == [1.0, 1.0, 1.0, 1.0, 0.0, 0.0]


def test_the_tolerance_is_relative() -> None:
    assert reward("numeric_match:0.1")(["p"] * 2, ["105", "120"], answer=[100, 100]) == [1.0, 0.0]
    assert reward("numeric_match")(["p"], ["105"], answer=[100]) == [0.0]


def test_the_answer_may_stand_in_the_column_solution() -> None:
    assert reward("numeric_match")(["p"], ["4"], solution=["4"]) == [1.0]
    assert reward("exact_match")(["p"], ["4"], solution=["4"]) == [1.0]


def test_without_an_answer_a_completion_cannot_be_scored() -> None:
    assert reward("numeric_match")(["p"] * 2, ["4", "4"], answer=[None, "no number"]) == [None, None]
    assert reward("exact_match")(["p"] * 2, ["4", "4"], answer=[None, "4"]) == [None, 1.0]


@pytest.mark.parametrize("name", ["exact_match", "numeric_match"])
def test_a_dataset_without_the_column_is_told(name: str) -> None:
    with pytest.raises(RewardError, match="the dataset has neither a column `answer` nor `solution`"):
        reward(name)(["p"], ["4"], reply=["4"])
