"""Tests of history-forks."""

from collections.abc import Callable

import pytest

from diagnostics.model.outcome import Severity, Verdict
from diagnostics.model.run import Run
from diagnostics.rules import evaluate

RULE = "history-forks"


@pytest.mark.parametrize(("value", "severity"), [("0.199", None), ("0.2", Severity.WARNING), ("1", Severity.WARNING)])
def test_a_fifth_of_the_rollouts_is_a_warning(judge: Callable, value: str, severity) -> None:
    assert judge(RULE, "grpo", history_fork_fraction=f"0x5 {value}x12").severity is severity


def test_single_batches_do_not_count(judge: Callable) -> None:
    assert judge(RULE, "grpo", history_fork_fraction="0x9 1x2 0x9").verdict is Verdict.QUIET


def test_few_points_are_too_few(judge: Callable) -> None:
    assert judge(RULE, "grpo", history_fork_fraction="1x4").verdict is Verdict.SKIPPED


def test_answers_of_one_turn_have_no_history(make_run: Callable[..., Run]) -> None:
    assert RULE not in {outcome.rule for outcome in evaluate(make_run("grpo", reward="1x30"))}
