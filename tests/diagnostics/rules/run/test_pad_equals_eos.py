"""Tests of pad-equals-eos."""

from collections.abc import Callable

from diagnostics.model.outcome import Outcome, Severity, Verdict

Judge = Callable[..., Outcome]
BATCH = {"per_device_train_batch_size": 8, "gradient_accumulation_steps": 2}


def test_more_end_tokens_than_answers_are_a_warning(judge: Judge) -> None:
    outcome = judge("pad-equals-eos", "ppo", config=BATCH, eos_tokens="16x5 17x3")
    assert (outcome.severity, outcome.first_step) == (Severity.WARNING, 6)


def test_as_many_as_answers_are_none(judge: Judge) -> None:
    assert judge("pad-equals-eos", "ppo", config=BATCH, eos_tokens="16x20").verdict is Verdict.QUIET
    assert judge("pad-equals-eos", "ppo", config=BATCH, eos_tokens="16x5 17x2 16x9").verdict is Verdict.QUIET


def test_mini_batches_may_multiply_the_answers(judge: Judge) -> None:
    outcome = judge("pad-equals-eos", "ppo", config={**BATCH, "num_mini_batches": 4}, eos_tokens="64x20")
    assert outcome.verdict is Verdict.QUIET


def test_equal_tokens_in_the_configuration_are_enough(judge: Judge) -> None:
    outcome = judge("pad-equals-eos", "ppo", config={"pad_token_id": 0, "eos_token_id": 0}, eos_tokens="3x4")
    assert outcome.severity is Severity.WARNING


def test_it_is_skipped_where_the_batch_is_unknown(judge: Judge) -> None:
    assert judge("pad-equals-eos", "ppo", eos_tokens="16x20").verdict is Verdict.SKIPPED
