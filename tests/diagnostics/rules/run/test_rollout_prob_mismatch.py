"""Tests of rollout-prob-mismatch."""

from collections.abc import Callable

import pytest

from diagnostics.model.outcome import Severity
from diagnostics.model.run import Run
from diagnostics.rules import evaluate


@pytest.mark.parametrize(
    ("value", "severity"),
    [("0.0049", None), ("0.005", Severity.INFO), ("0.01", Severity.WARNING), ("0.03", Severity.CRITICAL)],
)
def test_each_level_starts_at_its_limit(judge_harmed: Callable, value: str, severity: Severity | None) -> None:
    run = {"engine_probability_difference": f"0.001x5 {value}x9"}
    assert judge_harmed("rollout-prob-mismatch", "grpo", **run).severity is severity


def test_two_points_are_too_few(judge: Callable) -> None:
    run = {"engine_probability_difference": "0.001x9 0.02x2 0.001x9"}
    assert judge("rollout-prob-mismatch", "grpo", **run).severity is None


def test_a_difference_that_came_with_the_first_updates_is_told_once(make_run: Callable[..., Run]) -> None:
    run = make_run("grpo", engine_probability_difference="0.004x10 0.05x30", grad_norm="1x40")
    fired = {outcome.rule for outcome in evaluate(run) if outcome.severity}
    assert fired & {"rollout-prob-mismatch", "engine-weights-stale"} == {"engine-weights-stale"}


def test_a_run_of_one_engine_has_nothing_to_miss(make_run: Callable[..., Run]) -> None:
    assert "rollout-prob-mismatch" not in {outcome.rule for outcome in evaluate(make_run("grpo", reward="1x30"))}
