"""Tests of ess-low."""

from collections.abc import Callable

from diagnostics.model.outcome import Severity, Verdict


def test_three_tenths_of_the_batch_are_a_warning(judge: Callable) -> None:
    assert judge("ess-low", "grpo", effective_sample_size="0.9x5 0.3x9").severity is Severity.WARNING
    assert judge("ess-low", "grpo", effective_sample_size="0.9x5 0.31x9").verdict is Verdict.QUIET


def test_two_points_are_too_few(judge: Callable) -> None:
    assert judge("ess-low", "grpo", effective_sample_size="0.9x9 0.1x2 0.9x9").verdict is Verdict.QUIET
