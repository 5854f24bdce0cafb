"""Tests of entropy-metric-artefact."""

from collections.abc import Callable

from diagnostics.model.outcome import Outcome, Severity, Verdict

Judge = Callable[..., Outcome]


def test_an_entropy_below_zero_is_noted(judge: Judge) -> None:
    outcome = judge("entropy-metric-artefact", "ppo", entropy_per_sequence="20x5 -22 -3")
    assert (outcome.severity, outcome.first_step, outcome.measured) == (Severity.INFO, 6, -22.0)


def test_an_entropy_of_zero_is_none(judge: Judge) -> None:
    assert judge("entropy-metric-artefact", "ppo", entropy_per_sequence="20x5 0x9").verdict is Verdict.QUIET


def test_it_is_skipped_without_that_metric(judge: Judge) -> None:
    assert judge("entropy-metric-artefact", "ppo", entropy_per_token="1x9").verdict is Verdict.SKIPPED
