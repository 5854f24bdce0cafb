"""Tests of length-collapse."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from diagnostics.model.outcome import Outcome, Severity, Verdict
from diagnostics.model.run import Run
from diagnostics.model.samples import Sample, Samples
from diagnostics.rules import CATALOG, engine

Judge = Callable[..., Outcome]


def test_half_of_the_start_is_a_warning(judge: Judge) -> None:
    outcome = judge("length-collapse", "grpo", length_mean="100x30 50x20")
    assert (outcome.severity, outcome.first_step, outcome.still) == (Severity.WARNING, 36, True)


def test_a_little_more_than_half_is_none(judge: Judge) -> None:
    assert judge("length-collapse", "grpo", length_mean="100x30 51x60").verdict is Verdict.QUIET


def test_below_five_tokens_is_critical_where_answers_were_long(judge: Judge) -> None:
    assert judge("length-collapse", "grpo", length_mean="20x30 5x20").severity is Severity.CRITICAL
    assert judge("length-collapse", "grpo", length_mean="19x30 4x20").severity is Severity.WARNING


def test_healthy_drift_is_none(judge: Judge) -> None:
    assert judge("length-collapse", "grpo", length_mean="250..162x400").verdict is Verdict.QUIET


def test_a_short_stretch_is_none(judge: Judge) -> None:
    assert judge("length-collapse", "grpo", length_mean="100x30 10x5 100x30").verdict is Verdict.QUIET


def test_it_is_skipped_without_lengths(judge: Judge) -> None:
    assert judge("length-collapse", "ppo", score="1x60").verdict is Verdict.SKIPPED


def test_a_collapse_within_the_first_twenty_points_is_seen(judge: Judge) -> None:
    assert judge("length-collapse", "grpo", length_mean="7x5 3x30").severity is Severity.WARNING


def test_short_answers_that_earn_the_highest_reward_are_a_note(judge: Judge) -> None:
    lengths = "10x20 3x20"
    assert judge("length-collapse", "grpo", length_mean=lengths, reward="0.7x20 0.98x20").severity is Severity.INFO
    assert judge("length-collapse", "grpo", length_mean=lengths, reward="0.7x20 0.9x20").severity is Severity.WARNING


@pytest.mark.parametrize(("score", "severity"), [((2, 7), Severity.INFO), ((1, -20), Severity.WARNING)])
def test_lost_verbosity_is_a_note_unless_brevity_is_what_pays(
    make_run: Callable[..., Run], score: tuple[int, int], severity: Severity
) -> None:
    def load(step: int) -> tuple[Sample, ...]:
        return tuple(_answer(step, row, row * score[0] * 7 % 11 if score[1] > 0 else -row) for row in range(20))

    run = make_run("ppo", length_mean="30x20 10x30", score="0.1..0.9x50")
    run = replace(run, samples=Samples(tuple(range(1, 51)), load))
    assert _outcome_of(run).severity is severity


def test_without_samples_nobody_can_tell_why_answers_shrank(make_run: Callable[..., Run]) -> None:
    run = make_run("ppo", length_mean="30x20 10x30", score="0.1..0.9x50")
    assert _outcome_of(run).severity is Severity.WARNING


@pytest.mark.parametrize(
    ("score", "exact", "severity"),
    [
        ("0.1..0.9x50", "0.1..0.9x50", Severity.INFO),
        ("0.1..0.9x50", "0.5x20 0.1x30", Severity.WARNING),
        ("0.5x50", "0.5x50", Severity.WARNING),
    ],
    ids=["every function gains", "one function loses", "no gain"],
)
def test_without_samples_shorter_answers_are_a_note_where_the_score_rises_at_no_functions_expense(
    judge: Judge, score: str, exact: str, severity: Severity
) -> None:
    logged = {"reward": score, "functions": {"reward_func_mean/exact": exact}}
    assert judge("length-collapse", "grpo", length_mean="300x20 100x30", **logged).severity is severity


@pytest.mark.parametrize(
    ("later", "said", "severity"),
    [(0.5, 20, Severity.INFO), (0.3, 20, Severity.WARNING), (0.5, 18, Severity.WARNING)],
    ids=["as before", "less", "as before, some empty"],
)
def test_short_answers_that_earn_what_the_long_ones_did_lost_nothing(
    make_run: Callable[..., Run], later: float, said: int, severity: Severity
) -> None:
    jitter = np.random.default_rng(0).normal(scale=0.02, size=50)

    def load(step: int) -> tuple[Sample, ...]:
        rows = [_answer(step, row, row * 7 % 11) for row in range(20)]
        return tuple(row if place < said else replace(row, response="") for place, row in enumerate(rows))

    run = make_run("ppo", length_mean="30x20 10x30", score=np.repeat([0.5, later], [20, 30]) + jitter)
    assert _outcome_of(replace(run, samples=Samples(tuple(range(1, 51)), load))).severity is severity


def _answer(step: int, row: int, score: float) -> Sample:
    return Sample(step, f"q{row}", "word " * (row + 1), score=float(score), length=row + 1)


def _outcome_of(run: Run) -> Outcome:
    (outcome,) = engine.evaluate(run, [item for item in CATALOG if item.name == "length-collapse"])
    return outcome


def test_a_first_point_that_is_many_times_as_long_as_the_next_ones_is_the_start(judge: Judge) -> None:
    outcome = judge("length-collapse", "grpo", length_mean="53 2.6x40")
    assert (outcome.severity, outcome.message.values["times"]) == (Severity.CRITICAL, pytest.approx(2.6 / 53))
    assert judge("length-collapse", "grpo", length_mean="20 5x40").verdict is Verdict.QUIET


def test_answers_that_still_say_something_while_the_score_most_likely_rises_are_a_note(judge: Judge) -> None:
    def severity_at(late: str) -> Severity | None:
        score = "2.9 3.8 2.8 3.2 4.2 3.8 4.2 3.6 3.9 4.2 4.2 3.8 4.4 3.8 3.4 3.8 " + late
        outcome = judge("length-collapse", "grpo", length_mean="85 75 69 45 30 28x31", reward=score)
        return outcome.severity

    assert severity_at("3.8 4.6 4.2 3.2 4.4 4.0 4.8 4.0") is Severity.INFO
    assert severity_at("3.6 4.0 3.8 2.8 3.9 3.6 4.2 3.4") is Severity.WARNING


def test_answers_that_have_their_length_again_are_a_note(judge: Judge) -> None:
    assert judge("length-collapse", "grpo", length_mean="100x30 40x20 100x30").severity is Severity.INFO
    assert judge("length-collapse", "grpo", length_mean="100x30 40x50").severity is Severity.WARNING


@pytest.mark.parametrize("long", [1, 2, 5, 8, 9, 10, 15])
def test_a_collapse_among_the_points_that_are_not_judged_is_dated_there(judge: Judge, long: int) -> None:
    outcome = judge("length-collapse", "grpo", length_mean=f"120x{long} 3x60")
    assert (outcome.severity, outcome.first_step, outcome.last_step) == (Severity.CRITICAL, long + 1, long + 60)
    assert outcome.message.values["peak"] == long + 1


def test_what_was_short_for_a_moment_did_not_begin_then(judge: Judge) -> None:
    outcome = judge("length-collapse", "grpo", length_mean="120x4 3x2 120x8 3x60")
    assert outcome.first_step == 15
