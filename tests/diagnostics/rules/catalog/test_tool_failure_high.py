"""Tests of tool-failure-high."""

from collections.abc import Callable

from diagnostics.diagnosis import Severity, Verdict


def test_three_tenths_of_the_calls_are_a_warning(judge: Callable) -> None:
    assert judge("tool-failure-high", "grpo", tool_failure_frequency="0.3x14").severity is Severity.WARNING
    assert judge("tool-failure-high", "grpo", tool_failure_frequency="0.29x30").verdict is Verdict.QUIET


def test_a_model_that_learns_its_tools_is_left_alone(judge: Callable) -> None:
    assert judge("tool-failure-high", "grpo", tool_failure_frequency="0.9x9 0.1x30").verdict is Verdict.QUIET
