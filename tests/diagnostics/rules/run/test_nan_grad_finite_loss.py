"""Tests of nan-grad-finite-loss."""

from collections.abc import Callable

from diagnostics.model.outcome import Outcome, Severity, Verdict

Judge = Callable[..., Outcome]


def test_one_nan_gradient_beside_a_finite_loss_is_critical(judge: Judge) -> None:
    outcome = judge("nan-grad-finite-loss", "grpo", grad_norm="1x5 nan 1x5", loss="0.1x11")
    assert (outcome.severity, outcome.first_step, outcome.last_step) == (Severity.CRITICAL, 6, 6)
    assert outcome.message.values["loss"] == 0.1


def test_an_infinite_gradient_is_one_too(judge: Judge) -> None:
    assert judge("nan-grad-finite-loss", "grpo", grad_norm="1x5 inf", loss="0.1x6").severity is Severity.CRITICAL


def test_a_loss_that_is_nan_as_well_hides_nothing(judge: Judge) -> None:
    assert judge("nan-grad-finite-loss", "grpo", grad_norm="1x5 nan", loss="1x5 nan").verdict is Verdict.QUIET


def test_a_loss_scaler_may_skip_nine_steps_and_not_ten(judge: Judge) -> None:
    scaled = {"config": {"fp16": True}, "loss": "0.1x20"}
    assert judge("nan-grad-finite-loss", "grpo", grad_norm="infx9 1x11", **scaled).verdict is Verdict.QUIET
    assert judge("nan-grad-finite-loss", "grpo", grad_norm="infx10 1x10", **scaled).verdict is Verdict.FIRED


def test_it_is_skipped_where_the_gradient_is_not_logged(judge: Judge) -> None:
    outcome = judge("nan-grad-finite-loss", "ppo", policy_loss="1x20")
    assert (outcome.verdict, outcome.enable is not None) == (Verdict.SKIPPED, True)
