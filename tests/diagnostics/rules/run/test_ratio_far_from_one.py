"""Tests of ratio-far-from-one."""

from collections.abc import Callable

import pytest

from diagnostics.model.outcome import Outcome, Severity, Verdict

Judge = Callable[..., Outcome]


@pytest.mark.parametrize("value", ["2.0", "1000", "0.1", "0.01", "inf"])
def test_one_point_as_far_as_the_documents_say_is_critical(judge_harmed: Judge, value: str) -> None:
    outcome = judge_harmed("ratio-far-from-one", "ppo", ratio_mean=f"1x5 {value} 1x5")
    assert (outcome.severity, outcome.first_step, outcome.last_step) == (Severity.CRITICAL, 6, 6)


@pytest.mark.parametrize("value", ["1.99", "0.11"])
def test_one_point_just_inside_is_quiet(judge: Judge, value: str) -> None:
    assert judge("ratio-far-from-one", "ppo", ratio_mean=f"1x5 {value} 1x5").verdict is Verdict.QUIET


@pytest.mark.parametrize("value", ["1.25", "0.8"])
def test_three_points_a_quarter_off_are_a_warning(judge: Judge, value: str) -> None:
    assert judge("ratio-far-from-one", "ppo", ratio_mean=f"1x5 {value}x3 1x5").severity is Severity.WARNING
    assert judge("ratio-far-from-one", "ppo", ratio_mean=f"1x5 {value}x2 1x5").verdict is Verdict.QUIET


def test_the_worse_side_is_reported(judge_harmed: Judge) -> None:
    outcome = judge_harmed("ratio-far-from-one", "ppo", ratio_mean="1x2 1.3x3 1x9 0.05 1x5")
    assert (outcome.severity, outcome.measured, outcome.limit) == (Severity.CRITICAL, 0.05, 0.1)


def test_a_single_step_is_enough(judge_harmed: Judge) -> None:
    assert judge_harmed("ratio-far-from-one", "ppo", ratio_mean="12.6").severity is Severity.CRITICAL


def test_a_nan_is_not_a_ratio(judge: Judge) -> None:
    assert judge("ratio-far-from-one", "ppo", ratio_mean="1x5 nan 1x5").verdict is Verdict.QUIET


def test_the_old_trainer_logs_only_a_histogram(judge: Judge) -> None:
    outcome = judge("ratio-far-from-one", "ppo-legacy", approx_kl="0.01x5")
    assert (outcome.verdict, outcome.message.template) == (Verdict.SKIPPED, "missing.ratio-histogram")


def test_the_fixes_name_what_is_set_badly(judge: Judge) -> None:
    config = {"learning_rate": 0.005, "cliprange": 1e9, "num_ppo_epochs": 4, "max_grad_norm": 1.0}
    outcome = judge("ratio-far-from-one", "ppo", ratio_mean="12.6", config=config)
    assert [(fix.parameter, fix.suggested) for fix in outcome.fixes] == [
        ("learning_rate", 0.0005),
        ("cliprange", 0.2),
        ("num_ppo_epochs", 2),
    ]
