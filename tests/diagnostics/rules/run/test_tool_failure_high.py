"""Tests of tool-failure-high."""

from collections.abc import Callable

import numpy as np

from diagnostics.model.outcome import Severity, Verdict


def test_three_tenths_of_the_calls_are_a_warning(judge: Callable) -> None:
    assert judge("tool-failure-high", "grpo", tool_failure_frequency="0.3x14").severity is Severity.WARNING
    assert judge("tool-failure-high", "grpo", tool_failure_frequency="0.29x30").verdict is Verdict.QUIET


def test_a_model_that_learns_its_tools_is_left_alone(judge: Callable) -> None:
    assert judge("tool-failure-high", "grpo", tool_failure_frequency="0.9x9 0.1x30").verdict is Verdict.QUIET


def test_ever_more_failures_are_a_warning_before_they_are_many(judge: Callable) -> None:
    rising = 0.02 + 0.004 * np.arange(50)
    outcome = judge("tool-failure-high", "grpo", tool_failure_frequency=rising)
    assert (outcome.severity, outcome.message.template) == (Severity.WARNING, "tool-failure-high.rising")


def test_a_slow_rise_and_a_short_one_are_none(judge: Callable) -> None:
    slow, short = 0.02 + 0.0019 * np.arange(50), 0.02 + 0.005 * np.arange(49)
    for values in (slow, short):
        assert judge("tool-failure-high", "grpo", tool_failure_frequency=values).verdict is Verdict.QUIET
