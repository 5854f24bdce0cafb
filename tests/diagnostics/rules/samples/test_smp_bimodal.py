"""Tests of smp-bimodal."""

import numpy as np

from diagnostics.model.outcome import Severity, Verdict

NOISE = np.random.default_rng(3).normal(size=48)


def scored(sound, scores) -> list[dict[str, object]]:
    return [row | {"score": float(score)} for row, score in zip(sound(), scores, strict=True)]


def test_two_heaps_of_raw_scores_are_noted(look, sound) -> None:
    scores = np.where(np.arange(48) % 2, 6.0, -3.0) + 0.5 * NOISE
    assert look("smp-bimodal", scored(sound, scores)).severity is Severity.INFO


def test_normal_and_uniform_scores_are_none(look, sound) -> None:
    assert look("smp-bimodal", scored(sound, 3 * NOISE)).severity is None
    assert look("smp-bimodal", scored(sound, np.linspace(-4, 4, 48))).severity is None


def test_a_sigmoids_ends_are_not_judged(look, sound) -> None:
    assert look("smp-bimodal", scored(sound, np.where(NOISE > 0, 0.95, 0.02) + 0.01)).verdict is Verdict.SKIPPED


def test_marks_that_many_answers_share_are_not_judged(look, sound) -> None:
    """A grader that adds up three conditions, and a reward model that gives as few values only to as few answers."""
    marks = np.repeat([0.0, 3.0], 24) + np.tile([0.0, 0.0, 0.0, 0.25], 12)
    assert look("smp-bimodal", scored(sound, marks)).verdict is Verdict.SKIPPED
    same = [row | {"response": f"an answer that earns {row['score']:g}"} for row in scored(sound, marks)]
    assert look("smp-bimodal", same).severity is Severity.INFO


def test_full_marks_that_most_answers_earn_are_marks_though_others_are_told_apart(look, sound) -> None:
    """A grader that pays 2 for a right answer, and less the more of it is wrong."""
    marks = np.where(np.arange(48) % 3 < 2, 2.0, 0.5 + 0.01 * np.arange(48))
    assert look("smp-bimodal", scored(sound, marks)).verdict is Verdict.SKIPPED
    few = np.where(np.arange(48) % 3 < 1, 2.0, 0.5 + 0.01 * np.arange(48))
    assert look("smp-bimodal", scored(sound, few)).severity is Severity.INFO
