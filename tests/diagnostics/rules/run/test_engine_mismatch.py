"""Tests of engine-mismatch."""

from collections.abc import Callable

import pytest

from diagnostics.model.outcome import Severity, Verdict
from diagnostics.model.run import Run
from diagnostics.rules import evaluate

RULE = "engine-mismatch"


@pytest.mark.parametrize(
    ("metric", "value", "severity"),
    [
        ("engine_probability_ratio_error", 1.0499, None),
        ("engine_probability_ratio_error", 1.05, Severity.WARNING),
        ("engine_probability_ratio_error", 1.0999, Severity.WARNING),
        ("engine_probability_ratio_error", 1.1, Severity.CRITICAL),
        ("engine_kl", 0.0019, None),
        ("engine_kl", 0.002, Severity.INFO),
        ("engine_kl", 0.02, Severity.WARNING),
        ("engine_kl_k1", 0.099, None),
        ("engine_kl_k1", 0.1, Severity.WARNING),
        ("engine_kl_k1", -0.1, Severity.WARNING),
        ("engine_logprob_difference", 0.099, None),
        ("engine_logprob_difference", 0.1, Severity.WARNING),
    ],
)
def test_each_unit_has_limits_of_its_own(judge_harmed: Callable, metric: str, value: float, severity) -> None:
    outcome = judge_harmed(RULE, "grpo", **{metric: f"{value}x40"})
    assert outcome.severity is severity
    assert outcome.metric == metric
    if severity:
        assert outcome.measured == value


def test_it_is_no_more_than_a_warning_where_no_harm_is_shown(judge: Callable) -> None:
    run = {"engine_probability_ratio_error": "1.2x40", "reward": "0..1x40"}
    assert judge(RULE, "grpo", **run).severity is Severity.WARNING


def test_spikes_are_tolerated(judge: Callable) -> None:
    run = {"engine_probability_ratio_error": "1.01x10 1.5x2 1.01x10 1.5x2 1.01x10"}
    assert judge(RULE, "grpo", **run).verdict is Verdict.QUIET


def test_the_worst_unit_is_told(judge: Callable) -> None:
    run = {"engine_kl": "0.003x40", "engine_kl_k1": "0.2x40"}
    outcome = judge(RULE, "grpo", **run)
    assert (outcome.severity, outcome.metric) == (Severity.WARNING, "engine_kl_k1")


@pytest.mark.parametrize("path", ["0.03x25 0.15x40", "0.01x1 0.2x60"])
def test_a_difference_that_grew_is_told_by_others(judge: Callable, path: str) -> None:
    outcome = judge(RULE, "grpo", engine_logprob_difference=path, grad_norm="1x65")
    assert (outcome.verdict, outcome.applies) == (Verdict.SKIPPED, False)


def test_one_number_gives_one_finding(make_run: Callable[..., Run]) -> None:
    rules = {"engine-mismatch", "logp-diff-growing", "engine-weights-stale"}
    for path in ("0.15x65", "0.03x25 0.15x40", "0.01x1 0.2x64"):
        run = make_run("grpo", engine_logprob_difference=path, grad_norm="1x65", learning_rate="1e-4x65")
        assert len([outcome for outcome in evaluate(run) if outcome.severity and outcome.rule in rules]) == 1


def test_few_points_are_too_few(judge: Callable) -> None:
    assert judge(RULE, "grpo", engine_kl="0.1x4").verdict is Verdict.SKIPPED


def test_a_run_of_one_engine_has_nothing_to_miss(make_run: Callable[..., Run]) -> None:
    assert RULE not in {outcome.rule for outcome in evaluate(make_run("grpo", reward="1x30"))}
