"""Tests of kv-preempted."""

from collections.abc import Callable

from diagnostics.model.outcome import Severity, Verdict
from diagnostics.rules import evaluate


def test_preemptions_beside_a_full_cache_are_a_note(judge: Callable) -> None:
    found = judge("kv-preempted", "grpo", preemptions="1x14", kv_cache_usage="0.95x14")
    assert (found.verdict, found.severity) == (Verdict.FIRED, Severity.INFO)


def test_a_cache_with_room_is_left_alone(judge: Callable) -> None:
    assert judge("kv-preempted", "grpo", preemptions="1x14", kv_cache_usage="0.94x14").verdict is Verdict.QUIET


def test_a_full_cache_that_puts_nothing_aside_is_left_alone(judge: Callable) -> None:
    assert judge("kv-preempted", "grpo", preemptions="0x14", kv_cache_usage="1x14").verdict is Verdict.QUIET


def test_a_few_preemptions_are_left_alone(judge: Callable) -> None:
    found = judge("kv-preempted", "grpo", preemptions="0x14 3x9 0x14", kv_cache_usage="1x37")
    assert found.verdict is Verdict.QUIET


def test_without_the_cache_it_is_skipped_and_without_an_engine_not_asked(judge: Callable, make_run: Callable) -> None:
    assert judge("kv-preempted", "grpo", preemptions="1x14").verdict is Verdict.SKIPPED
    assert "kv-preempted" not in {outcome.rule for outcome in evaluate(make_run("grpo", reward="0..1x14"))}


def test_without_the_cache_it_says_what_to_log_whatever_is_timed(judge: Callable) -> None:
    for times in ({}, {"step_time": "0.5x20"}):
        outcome = judge("kv-preempted", "grpo", preemptions="3x20", **times)
        assert (outcome.message.template, outcome.applies) == ("missing.metric", True)
