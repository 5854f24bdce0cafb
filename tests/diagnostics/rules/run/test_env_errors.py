"""Tests of env-errors."""

import numpy as np
import pytest

from diagnostics.model.messages import render
from diagnostics.model.outcome import Severity, Verdict
from diagnostics.texts import templates
from tests.diagnostics.rules.conftest import Judge

CLASSES = (
    "rollout_error_fraction",
    "aborted_fraction",
    "tool_loop_exhausted_fraction",
    "invalid_tool_call_fraction",
    "malformed_thinking_fraction",
)


@pytest.mark.parametrize("name", CLASSES)
def test_a_twentieth_of_the_rollouts_of_any_class_is_a_warning(judge: Judge, name: str) -> None:
    assert judge("env-errors", "grpo", **{name: "0x9 0.05x30"}).severity is Severity.WARNING
    assert judge("env-errors", "grpo", **{name: "0x9 0.049x30"}).verdict is Verdict.QUIET


def test_the_share_and_the_steps_are_told(judge: Judge) -> None:
    outcome = judge("env-errors", "grpo", rollout_error_fraction="0x9 0.08x30")
    assert render(outcome.message, templates()) == (
        "Failed rollouts: up to 8 % (step 10); 5 % or more from step 10 to 39."
    )


def test_nearly_a_third_is_critical_where_it_is_not_the_policys_own_doing(judge: Judge) -> None:
    found = {name: judge("env-errors", "grpo", **{name: "0x9 0.3x30"}).severity for name in CLASSES}
    assert found == {
        "rollout_error_fraction": Severity.CRITICAL,
        "aborted_fraction": Severity.CRITICAL,
        "tool_loop_exhausted_fraction": Severity.WARNING,
        "invalid_tool_call_fraction": Severity.WARNING,
        "malformed_thinking_fraction": Severity.WARNING,
    }
    assert judge("env-errors", "grpo", aborted_fraction="0x9 0.29x30").severity is Severity.WARNING


def test_the_gravest_class_leads_and_the_others_are_named(judge: Judge) -> None:
    logged = {"rollout_error_fraction": "0.4x30", "invalid_tool_call_fraction": "0.6x30"}
    outcome = judge("env-errors", "grpo", **logged)
    assert (outcome.severity, outcome.metric) == (Severity.CRITICAL, "rollout_error_fraction")
    assert render(outcome.message, templates()).endswith("So it is with: Invalid tool calls.")


def test_one_bad_batch_is_quiet(judge: Judge) -> None:
    assert judge("env-errors", "grpo", rollout_error_fraction="0.01x20 0.9x3 0.01x20").verdict is Verdict.QUIET


def test_a_model_that_learns_its_tools_is_no_finding_any_more(judge: Judge) -> None:
    outcome = judge("env-errors", "grpo", invalid_tool_call_fraction="0.6..0.01x30 0.01x40")
    assert not outcome.still


def test_tools_that_do_not_exist_are_noted_while_they_are_called(judge: Judge) -> None:
    rising = np.cumsum(np.ones(30))
    outcome = judge("env-errors", "grpo", unknown_tool_calls=rising)
    assert (outcome.severity, outcome.measured) == (Severity.INFO, 10)
    rising[-1] = rising[-2]
    assert judge("env-errors", "grpo", unknown_tool_calls=rising).verdict is not Verdict.FIRED


def test_too_few_points_are_not_judged(judge: Judge) -> None:
    assert judge("env-errors", "grpo", rollout_error_fraction="0.5x5").verdict is Verdict.SKIPPED
    assert judge("env-errors", "grpo", unknown_tool_calls="1..9x9").verdict is Verdict.SKIPPED


def test_it_is_not_about_runs_that_log_none_of_them(judge: Judge) -> None:
    with pytest.raises(ValueError, match="not enough values"):
        judge("env-errors", "grpo", reward="0.5x30")
