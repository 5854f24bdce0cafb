"""Tests of legacy-batches-skipped."""

from collections.abc import Callable

from diagnostics.model.outcome import Outcome, Severity, Verdict

Judge = Callable[..., Outcome]


def test_one_batch_with_both_losses_zero_is_a_warning(judge: Judge) -> None:
    outcome = judge("legacy-batches-skipped", "ppo-legacy", policy_loss="1x9 0 1x9", value_loss="1x9 0 1x9")
    assert (outcome.severity, outcome.first_step, outcome.last_step) == (Severity.WARNING, 10, 10)


def test_more_than_a_tenth_of_them_is_critical(judge: Judge) -> None:
    two, three = "1x18 0x2", "1x17 0x3"
    assert judge("legacy-batches-skipped", "ppo-legacy", policy_loss=two, value_loss=two).severity is Severity.WARNING
    assert judge("legacy-batches-skipped", "ppo-legacy", policy_loss=three, value_loss=three).severity is (
        Severity.CRITICAL
    )


def test_one_loss_of_zero_alone_is_no_skipped_batch(judge: Judge) -> None:
    logged = {"policy_loss": "1x9 0 1x9", "value_loss": "1x19"}
    assert judge("legacy-batches-skipped", "ppo-legacy", **logged).verdict is Verdict.QUIET


def test_it_is_skipped_where_a_loss_is_missing(judge: Judge) -> None:
    assert judge("legacy-batches-skipped", "ppo-legacy", policy_loss="1x20").verdict is Verdict.SKIPPED
