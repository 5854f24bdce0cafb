"""Tests of drops-bias-length."""

from collections.abc import Callable

import pytest

from diagnostics.model.outcome import Severity, Verdict
from diagnostics.model.run import Run
from diagnostics.rules import evaluate

RULE = "drops-bias-length"


@pytest.mark.parametrize(
    ("trained", "dropped", "severity"),
    [("90x20", "0.05x20", Severity.WARNING), ("91x20", "0.3x20", None), ("50x20", "0.049x20", None)],
)
def test_what_is_dropped_is_long_where_the_rest_is_a_tenth_shorter(judge, trained, dropped, severity) -> None:
    outcome = judge(RULE, "grpo", trained_length_mean=trained, length_mean="100x20", dropped_fraction=dropped)
    assert outcome.severity is severity


def test_the_finding_is_told_in_tokens(judge: Callable) -> None:
    outcome = judge(RULE, "grpo", trained_length_mean="60x20", length_mean="100x20", dropped_fraction="0.3x20")
    assert (outcome.measured, outcome.limit, outcome.unit) == (60, 90, "tokens")


def test_it_is_skipped_where_drops_are_not_logged(judge: Callable) -> None:
    assert judge(RULE, "grpo", trained_length_mean="60x20", length_mean="100x20").verdict is Verdict.SKIPPED


def test_a_run_that_drops_nothing_has_nothing_to_miss(make_run: Callable[..., Run]) -> None:
    assert RULE not in {outcome.rule for outcome in evaluate(make_run("grpo", length_mean="1x30"))}
