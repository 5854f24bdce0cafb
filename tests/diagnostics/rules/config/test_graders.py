"""Checks of how reward functions behave when they are tried, at their boundaries."""

import math
from dataclasses import replace

import pytest

from diagnostics.model.setup import Trial

NAN = math.nan


def trial(kind: str, score: float | None, policy: str = "", **more: object) -> Trial:
    return Trial("accuracy", kind, "1+1=", f"a {policy or kind} answer", score, policy=policy or kind, **more)


RIGHT, WRONG = trial("gold", 1.0), trial("wrong", 0.0)
ECHO = trial("attack", 0.5, "prompt-echo")
HIDDEN = trial("attack", 1.0, "gold-in-junk", knows_answer=True)


@pytest.mark.parametrize(
    ("trials", "word"),
    [
        ((RIGHT, WRONG, ECHO), "warning"),
        ((RIGHT, WRONG, replace(ECHO, score=0.49)), "quiet"),
        ((RIGHT, WRONG, replace(ECHO, score=None)), "quiet"),
        ((RIGHT, WRONG, replace(ECHO, score=NAN)), "quiet"),
        ((RIGHT, WRONG, HIDDEN), "info"),
        ((RIGHT, WRONG, HIDDEN, ECHO), "warning"),
        ((RIGHT, WRONG, trial("empty", 1.0)), "warning"),
        ((RIGHT, replace(WRONG, score=1.0), ECHO), "skipped"),  # a form that wrong answers have too
        ((WRONG, ECHO), "skipped"),
        ((RIGHT, WRONG, replace(ECHO, prompt="2+2=")), "quiet"),  # whose own right answer was not scored
        ((RIGHT, WRONG, replace(ECHO, repeats={"again": 0.1})), "skipped"),  # random
        (None, None),
    ],
)
def test_half_of_the_way_from_wrong_to_right_is_paid(judged, trials, word) -> None:
    found = judged("pf-grader-paid", {}, trials=trials)
    assert (found.word if found else None) == word


def test_the_worst_of_wrong_and_the_best_of_right_answers_make_the_scale(judged) -> None:
    trials = (RIGHT, trial("gold", 0.1), WRONG, trial("wrong", 0.9), ECHO)
    found = judged("pf-grader-paid", {}, trials=trials)
    assert "accuracy gives 0.5 for prompt-echo “a prompt-echo answer” (right 1, wrong 0)" in found.sentence


def test_of_many_paid_answers_four_are_named(judged) -> None:
    paid = [trial("attack", 1.0, f"policy-{number}") for number in range(6)]
    assert "and 2 more" in judged("pf-grader-paid", {}, trials=(RIGHT, WRONG, *paid)).sentence


@pytest.mark.parametrize(("kind", "word"), [("empty", "critical"), ("gold", "critical"), ("attack", "warning")])
def test_an_exception_on_an_ordinary_answer_is_critical(judged, kind, word) -> None:
    found = judged("pf-grader-raises", {}, trials=(RIGHT, trial(kind, None, error="it raised ValueError: no number.")))
    assert found.word == word
    assert found.sentence.startswith("On 1 of 2 answers a reward function fails")
    assert found.sentence.endswith("it raised ValueError: no number.")
    assert judged("pf-grader-raises", {}, trials=(RIGHT,)).word == "quiet"


@pytest.mark.parametrize(
    ("seconds", "config", "word", "sentence"),
    [
        (10.0, {}, "warning", "took 10 s for"),
        (9.99, {"per_device_train_batch_size": 1, "gradient_accumulation_steps": 1}, "quiet", ""),
        (0.5, {"per_device_train_batch_size": 120, "gradient_accumulation_steps": 1}, "warning", "60 s for the 120"),
        (0.5, {"per_device_train_batch_size": 119, "gradient_accumulation_steps": 1}, "quiet", ""),
        (None, {}, "quiet", ""),
    ],
)
def test_a_slow_answer_or_a_minute_for_a_step_is_a_warning(judged, seconds, config, word, sentence) -> None:
    found = judged("pf-grader-slow", config, trials=(trial("gold", 1.0, seconds=seconds),))
    assert found.word == word
    assert sentence in found.sentence


def test_an_answer_that_was_cut_off_is_named(judged) -> None:
    hung = trial("extreme", None, "very-long", seconds=3.0, is_hung=True)
    found = judged("pf-grader-slow", {}, trials=(hung,))
    assert found.word == "warning"
    assert "gave no score for very-long “a very-long answer” within 3 s" in found.sentence


@pytest.mark.parametrize("rule", ["pf-grader-random", "pf-grader-order"])
@pytest.mark.parametrize(
    ("score", "second", "is_same"),
    [(50.0, 51.0, True), (50.0, 51.1, False), (NAN, NAN, True), (None, None, True), (None, 50.0, False)],
)
def test_scores_within_a_hundredth_of_their_spread_are_the_same(judged, rule, score, second, is_same) -> None:
    way = "again" if rule == "pf-grader-random" else "reordered"
    trials = (trial("gold", 100.0), trial("junk", 0.0), trial("attack", score, "very-long", repeats={way: second}))
    assert judged(rule, {}, trials=trials).word == ("quiet" if is_same else "warning")


def test_what_is_random_is_not_also_called_dependent_on_the_order(judged) -> None:
    trials = (RIGHT, trial("junk", 0.0, repeats={"again": 1.0, "reordered": 0.5, "alone": 0.7}))
    assert judged("pf-grader-random", {}, trials=trials).word == "warning"
    assert judged("pf-grader-order", {}, trials=trials).word == "quiet"


def test_a_score_that_only_differs_alone_is_a_note(judged) -> None:
    trials = (RIGHT, trial("junk", 0.0, repeats={"again": 0.0, "reordered": 0.0, "alone": 0.7}))
    found = judged("pf-grader-order", {}, trials=trials)
    assert found.word == "info"
    assert "and 0.7 for it alone" in found.sentence
