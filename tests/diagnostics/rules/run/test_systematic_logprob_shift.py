"""Tests of systematic-logprob-shift."""

from collections.abc import Callable

import pytest

from diagnostics.model.outcome import Outcome, Severity, Verdict

Judge = Callable[..., Outcome]


@pytest.mark.parametrize(("level", "limit"), [("0.97", 0.99), ("1.03", 1.01)])
def test_a_ratio_beside_one_at_small_updates_is_a_warning(judge: Judge, level: str, limit: float) -> None:
    outcome = judge("systematic-logprob-shift", "ppo", ratio_mean=f"{level}x10", approx_kl="0.002x10")
    assert (outcome.severity, outcome.first_step, outcome.measured) == (Severity.WARNING, 1, float(level))
    assert outcome.limit == pytest.approx(limit)


def test_nine_points_are_not_enough(judge: Judge) -> None:
    outcome = judge("systematic-logprob-shift", "ppo", ratio_mean="0.97x9 1x9", approx_kl="0.002x18")
    assert outcome.verdict is Verdict.QUIET


def test_a_ratio_that_the_update_explains_is_quiet(judge: Judge) -> None:
    outcome = judge("systematic-logprob-shift", "ppo", ratio_mean="0.97x20", approx_kl="0.007x20")
    assert outcome.verdict is Verdict.QUIET


def test_large_updates_are_another_rules_business(judge: Judge) -> None:
    outcome = judge("systematic-logprob-shift", "ppo", ratio_mean="1.6x20", approx_kl="0.03x20")
    assert outcome.verdict is Verdict.QUIET


def test_noise_changes_sides(judge: Judge) -> None:
    outcome = judge("systematic-logprob-shift", "ppo", ratio_mean=" ".join(["0.97 1.03"] * 20), approx_kl="0.002x40")
    assert outcome.verdict is Verdict.QUIET


def test_it_is_skipped_where_its_input_is_missing(judge: Judge) -> None:
    assert judge("systematic-logprob-shift", "ppo", ratio_mean="0.97x10").verdict is Verdict.SKIPPED
