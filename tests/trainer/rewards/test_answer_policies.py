"""What the answer policies write, without any reward function."""

import pytest

from trainer.rewards.answer_policies import POLICIES, Question, gold_answers, other_answers, short_answer

SUM = Question("48+36=", "84", ("91", "77"), "<answer>{}</answer>")


def texts(question: Question, policy: str) -> list[str]:
    return [answer.text for answer in other_answers(question) if answer.policy.name == policy]


def test_the_right_answer_comes_in_every_form_that_graders_read() -> None:
    assert [answer.text for _, answer in gold_answers(SUM)][:4] == [
        "84",
        "\\boxed{84}",
        "#### 84",
        "<answer>84</answer>",
    ]


def test_wrong_answers_are_near_or_those_of_other_prompts_and_in_the_form_that_is_paid() -> None:
    assert texts(SUM, "wrong") == ["<answer>85</answer>", "<answer>91</answer>", "<answer>77</answer>"]


def test_no_other_policy_writes_the_right_answer() -> None:
    right = {answer.text for _, answer in gold_answers(SUM)}
    assert right & {answer.text for answer in other_answers(SUM)} == set()


def test_no_answer_is_tried_twice() -> None:
    written = [answer.text for answer in other_answers(SUM)]
    assert len(set(written)) == len(written)


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        (SUM, "82, 84, 83, 85, 86"),
        (Question("Which? (A) tea (B) milk (C) rum", "A"), "B, A, C"),
        (Question("Is 7 prime?", "yes"), "no or yes or no"),
        (Question("Capital of France?", "Paris", ("Rome", "Oslo")), "Rome, Paris, Oslo"),
    ],
)
def test_of_every_option_at_once_the_right_one_is_neither_first_nor_last(question: Question, expected: str) -> None:
    assert texts(question, "every-option")[0] == expected


def test_look_alikes_are_other_characters() -> None:
    (plain, _) = texts(SUM, "look-alikes")
    assert plain != "84"
    assert int(plain) == 84
    assert texts(Question("?", "наука"), "look-alikes") == []


def test_without_a_right_answer_only_those_policies_write_that_need_none() -> None:
    written = {answer.policy.name for answer in other_answers(Question("Go on:"))}
    unwritten = {"wrong", "gold-in-junk", "every-option", "look-alikes"}
    assert written == {policy.name for policy in POLICIES} - unwritten


@pytest.mark.parametrize(("answer", "short"), [("6*7=42\n#### 42", "42"), ("42", "42")])
def test_a_derivation_is_left_out_of_the_right_answer(answer: str, short: str) -> None:
    assert short_answer(answer) == short
