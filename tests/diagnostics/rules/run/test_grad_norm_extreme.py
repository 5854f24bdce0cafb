"""Tests of grad-norm-extreme."""

from collections.abc import Callable

from diagnostics.model.outcome import Outcome, Severity, Verdict

Judge = Callable[..., Outcome]
UNSTEADY = "1.2 87 35 126 21 5 57 1.2 224 30 4 202 18 90 2"  # of a public log, whose other points hide a norm of 1,927


def test_one_norm_of_a_thousand_is_a_warning_however_unsteady_the_others_are(judge: Judge) -> None:
    outcome = judge("grad-norm-extreme", "grpo", grad_norm=f"{UNSTEADY} 1927 {UNSTEADY}")
    assert (outcome.severity, outcome.measured, outcome.first_step) == (Severity.WARNING, 1927.0, 16)
    spike = judge("grad-norm-spike", "grpo", grad_norm=f"{UNSTEADY} {UNSTEADY} 1927 {UNSTEADY}")
    assert spike.verdict is Verdict.QUIET


def test_just_below_it_is_quiet(judge: Judge) -> None:
    assert judge("grad-norm-extreme", "grpo", grad_norm="1x9 1000 1x9").verdict is Verdict.FIRED
    assert judge("grad-norm-extreme", "grpo", grad_norm="1x9 999 1x9").verdict is Verdict.QUIET


def test_a_norm_that_is_no_number_is_another_rules_business(judge: Judge) -> None:
    assert judge("grad-norm-extreme", "grpo", grad_norm="1x9 nan 1x9").verdict is Verdict.QUIET


def test_it_is_skipped_where_its_input_is_missing(judge: Judge) -> None:
    assert judge("grad-norm-extreme", "grpo", reward="1x9").verdict is Verdict.SKIPPED
