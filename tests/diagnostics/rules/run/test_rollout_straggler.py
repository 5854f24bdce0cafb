"""Tests of rollout-straggler."""

from collections.abc import Callable, Mapping

import pytest

from diagnostics.model.outcome import Severity, Verdict

WAITS: Mapping[str, str] = {"step_time": "10x20", "generation_time": "6x20"}


def test_three_times_the_mean_is_a_note(judge: Callable) -> None:
    found = judge("rollout-straggler", "grpo", **WAITS, rollout_seconds_max="6x20", rollout_seconds_mean="2x20")
    assert (found.verdict, found.severity, found.message.values["times"]) == (Verdict.FIRED, Severity.INFO, 3.0)


def test_a_little_less_is_quiet(judge: Callable) -> None:
    found = judge("rollout-straggler", "grpo", **WAITS, rollout_seconds_max="5.9x20", rollout_seconds_mean="2x20")
    assert found.verdict is Verdict.QUIET


def test_where_little_of_a_step_is_generation_nobody_waits(judge: Callable) -> None:
    times = {"step_time": "10x20", "generation_time": "4.9x20"}
    found = judge("rollout-straggler", "grpo", **times, rollout_seconds_max="9x20", rollout_seconds_mean="1x20")
    assert (found.verdict, found.limit, found.unit) == (Verdict.QUIET, 0.5, "of the step time")


@pytest.mark.parametrize(
    ("slowest", "named"),
    [
        ({"slowest_generation_seconds": "5x20", "slowest_tool_seconds": "1x20"}, "generation"),
        ({"slowest_generation_seconds": "1x20", "slowest_tool_seconds": "5x20"}, "tools"),
        ({"slowest_generation_seconds": "1x20", "slowest_reward_seconds": "5x20"}, "grader"),
        ({"slowest_generation_seconds": "5x20"}, "fired"),
    ],
)
def test_it_names_what_the_slowest_rollout_does(judge: Callable, slowest: Mapping[str, str], named: str) -> None:
    times = {"rollout_seconds_max": "6x20", "rollout_seconds_mean": "1x20", **slowest}
    assert judge("rollout-straggler", "grpo", **WAITS, **times).message.template == f"rollout-straggler.{named}"


def test_lengths_stand_in_for_seconds(judge: Callable) -> None:
    found = judge("rollout-straggler", "grpo", **WAITS, length_max="900x20", length_mean="300x20")
    assert (found.verdict, found.unit) == (Verdict.FIRED, "tokens")


def test_without_the_slowest_it_is_skipped(judge: Callable) -> None:
    assert judge("rollout-straggler", "grpo", **WAITS, length_mean="300x20").verdict is Verdict.SKIPPED


def test_the_slowest_in_tokens_is_not_compared_with_a_mean_in_seconds(judge: Callable) -> None:
    found = judge("rollout-straggler", "grpo", **WAITS, length_max="900x20", rollout_seconds_mean="2x20")
    assert (found.verdict, found.message.template) == (Verdict.SKIPPED, "missing.metric")
    assert judge("rollout-straggler", "grpo", **WAITS, length_max="900x20", length_mean="300x20").severity
