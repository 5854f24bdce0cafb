"""Tests of length-collapse."""

from collections.abc import Callable

from diagnostics.diagnosis import Outcome, Severity, Verdict

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
