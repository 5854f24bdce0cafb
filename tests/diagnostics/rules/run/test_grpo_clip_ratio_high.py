"""Tests of grpo-clip-ratio-high."""

from collections.abc import Callable

import pytest

from diagnostics.model.outcome import Outcome, Severity, Verdict

Judge = Callable[..., Outcome]

SEQUENCES = {"importance_sampling_level": "sequence"}


@pytest.mark.parametrize(("level", "severity"), [("0.1", Severity.WARNING), ("0.4", Severity.CRITICAL)])
def test_three_points_at_the_limit_fire(judge_harmed: Judge, level: str, severity: Severity) -> None:
    outcome = judge_harmed("grpo-clip-ratio-high", "grpo", clip_ratio_region_mean=f"0.01x5 {level}x3 0.01x2")
    assert (severity, 6) == (outcome.severity, outcome.first_step)


def test_a_little_less_than_a_tenth_does_not(judge: Judge) -> None:
    assert judge("grpo-clip-ratio-high", "grpo", clip_ratio_region_mean="0.099x20").verdict is Verdict.QUIET


def test_two_points_do_not(judge: Judge) -> None:
    assert judge("grpo-clip-ratio-high", "grpo", clip_ratio_region_mean="0.01x5 0.4x2 0.01x6").verdict is Verdict.QUIET


def test_no_clipping_at_all_is_normal(judge: Judge) -> None:
    assert judge("grpo-clip-ratio-high", "grpo", clip_ratio_region_mean="0x20").verdict is Verdict.QUIET


@pytest.mark.parametrize("metric", ["clip_ratio", "clip_fraction"])
def test_the_ratio_of_the_liger_loss_and_of_other_programs_is_judged_as_well(judge: Judge, metric: str) -> None:
    assert judge("grpo-clip-ratio-high", "grpo", **{metric: "0.3x7"}).severity is Severity.WARNING


def test_sequences_may_be_clipped_far_more_often(judge: Judge) -> None:
    outcome = judge("grpo-clip-ratio-high", "grpo", clip_ratio_region_mean="0.15x20 0.44x10", config=SEQUENCES)
    assert (outcome.verdict, pytest.approx(outcome.limit)) == (Verdict.QUIET, 0.45)


def test_sequences_at_three_times_their_own_start_are_a_warning(judge: Judge) -> None:
    outcome = judge("grpo-clip-ratio-high", "grpo", clip_ratio_region_mean="0.15x20 0.46x5", config=SEQUENCES)
    assert outcome.severity is Severity.WARNING


def test_it_is_skipped_where_its_input_is_missing(judge: Judge) -> None:
    assert judge("grpo-clip-ratio-high", "grpo", reward="1x20").verdict is Verdict.SKIPPED
