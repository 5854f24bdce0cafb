"""Tests of step-slows."""

from collections.abc import Callable

import numpy as np

from diagnostics.model.outcome import Severity, Verdict

LENGTH = "100x130"


def test_half_as_slow_again_for_the_same_answers_is_a_warning(judge: Callable) -> None:
    found = judge("step-slows", "grpo", step_time="10x60 15x70", length_mean=LENGTH)
    assert (found.verdict, found.severity, found.message.values["times"]) == (Verdict.FIRED, Severity.WARNING, 1.5)


def test_a_little_less_is_quiet(judge: Callable) -> None:
    assert judge("step-slows", "grpo", step_time="10x60 14.9x70", length_mean=LENGTH).verdict is Verdict.QUIET


def test_steps_that_grow_with_the_answers_are_left_alone(judge: Callable) -> None:
    found = judge("step-slows", "grpo", step_time="10..46x130", length_mean="100..460x130")
    assert found.verdict is Verdict.QUIET


def test_a_step_that_grows_three_times_beside_equal_answers_is_found(judge: Callable) -> None:
    noise = np.random.default_rng(0).normal(1, 0.1, 200)
    found = judge("step-slows", "grpo", step_time=np.linspace(46, 146, 200) * noise, length_mean="800x200")
    assert found.verdict is Verdict.FIRED


def test_a_slow_stretch_shorter_than_the_window_is_left_alone(judge: Callable) -> None:
    assert judge("step-slows", "grpo", step_time="10x60 30x20 10x50", length_mean=LENGTH).verdict is Verdict.QUIET


def test_a_slow_first_step_sets_no_level(judge: Callable) -> None:
    """Compilation: judged by it, all later steps would be fast."""
    found = judge("step-slows", "grpo", step_time="90x3 10x57 15x70", length_mean=LENGTH)
    assert found.verdict is Verdict.FIRED


def test_generation_is_judged_where_it_is_timed(judge: Callable) -> None:
    found = judge("step-slows", "grpo", generation_time="5x130", step_time="10x60 30x70", length_mean=LENGTH)
    assert (found.verdict, found.metric) == (Verdict.QUIET, "generation_time")


def test_few_points_and_missing_lengths_are_skipped(judge: Callable) -> None:
    assert judge("step-slows", "grpo", step_time="10x74", length_mean="100x74").verdict is Verdict.SKIPPED
    assert judge("step-slows", "grpo", step_time="10x130").verdict is Verdict.SKIPPED
