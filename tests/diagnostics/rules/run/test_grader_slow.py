"""Tests of grader-slow."""

from collections.abc import Callable

from diagnostics.model.outcome import Severity, Verdict


def test_a_fifth_of_a_step_is_a_note(judge: Callable) -> None:
    found = judge("grader-slow", "grpo", step_time="10x14", reward_time="2x14")
    assert (found.verdict, found.severity) == (Verdict.FIRED, Severity.INFO)


def test_a_little_less_is_quiet(judge: Callable) -> None:
    assert judge("grader-slow", "grpo", step_time="10x14", reward_time="1.9x14").verdict is Verdict.QUIET


def test_scoring_behind_a_busy_trainer_costs_nothing(judge: Callable) -> None:
    times = {"step_time": "10x14", "reward_time": "8x14"}
    assert judge("grader-slow", "grpo", **times, rollout_wait_time="0.1x14").verdict is Verdict.QUIET
    assert judge("grader-slow", "grpo", **times, rollout_wait_time="5x14").verdict is Verdict.FIRED


def test_one_slow_call_is_left_alone(judge: Callable) -> None:
    found = judge("grader-slow", "grpo", step_time="10x9 90x1 10x9", reward_time="0.5x9 80x1 0.5x9")
    assert found.verdict is Verdict.QUIET


def test_without_the_time_of_rewards_it_says_what_to_log(judge: Callable) -> None:
    outcome = judge("grader-slow", "grpo", step_time="10x14")
    assert (outcome.verdict, outcome.applies) == (Verdict.SKIPPED, True)


def test_of_steps_too_short_to_matter_no_metric_is_missed(judge: Callable) -> None:
    outcome = judge("grader-slow", "grpo", step_time="0.99x14")
    assert (outcome.message.template, outcome.applies) == ("speed.short-steps", False)


def test_a_log_without_any_time_is_not_asked_for_one_metric(judge: Callable) -> None:
    outcome = judge("grader-slow", "grpo", reward="0.5x14")
    assert (outcome.message.template, outcome.applies) == ("speed.untimed", False)
