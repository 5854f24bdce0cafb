"""Tests of correction-discards."""

from collections.abc import Callable

import pytest

from diagnostics.model.outcome import Severity
from diagnostics.model.run import Run
from diagnostics.rules import evaluate

RULE = "correction-discards"


@pytest.mark.parametrize(("value", "severity"), [("0.099", None), ("0.1", Severity.WARNING), ("0.5", Severity.WARNING)])
def test_a_tenth_is_a_warning_and_never_more(judge_harmed: Callable, value: str, severity) -> None:
    assert judge_harmed(RULE, "grpo", correction_masked_fraction=f"0.01x5 {value}x9").severity is severity


def test_half_of_the_batch_is_told_as_such(judge: Callable) -> None:
    assert judge(RULE, "grpo", correction_masked_fraction="0.6x20").limit == 0.5


def test_masked_sequences_count_where_tokens_are_not_logged(judge: Callable) -> None:
    outcome = judge(RULE, "grpo", correction_masked_sequences_fraction="0.3x20")
    assert outcome.severity is Severity.WARNING


def test_single_batches_do_not_count(judge: Callable) -> None:
    assert judge(RULE, "grpo", correction_masked_fraction="0.01x9 0.9x2 0.01x9").severity is None


def test_a_run_without_a_mask_has_nothing_to_miss(make_run: Callable[..., Run]) -> None:
    assert RULE not in {outcome.rule for outcome in evaluate(make_run("grpo", reward="1x30"))}
