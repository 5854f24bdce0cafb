"""Tests of recompute-dear."""

from collections.abc import Callable

from diagnostics.model.outcome import Severity, Verdict


def test_a_backward_pass_of_two_and_a_half_forward_passes_is_a_note(judge: Callable) -> None:
    found = judge("recompute-dear", "grpo", forward_time="2x14", forward_backward_time="7x14")
    assert (found.verdict, found.severity, found.limit) == (Verdict.FIRED, Severity.INFO, 7.0)


def test_a_little_less_is_quiet(judge: Callable) -> None:
    found = judge("recompute-dear", "grpo", forward_time="2x14", forward_backward_time="6.9x14")
    assert found.verdict is Verdict.QUIET


def test_a_run_without_checkpointing_computes_nothing_again(judge: Callable) -> None:
    times = {"forward_time": "2x14", "forward_backward_time": "9x14"}
    found = judge("recompute-dear", "grpo", config={"gradient_checkpointing": False}, **times)
    assert (found.verdict, found.applies) == (Verdict.SKIPPED, False)
    assert judge("recompute-dear", "grpo", config={"gradient_checkpointing": True}, **times).verdict is Verdict.FIRED


def test_the_switch_is_what_it_suggests(judge: Callable) -> None:
    times = {"forward_time": "2x14", "forward_backward_time": "9x14"}
    (fix,) = judge("recompute-dear", "grpo", config={"gradient_checkpointing": True}, **times).fixes
    assert (fix.parameter, fix.current, fix.suggested) == ("gradient_checkpointing", True, False)


def test_without_the_forward_pass_it_is_skipped(judge: Callable) -> None:
    assert judge("recompute-dear", "grpo", forward_backward_time="9x14").verdict is Verdict.SKIPPED


def test_forward_passes_of_no_time_are_no_failure(judge: Callable) -> None:
    found = judge("recompute-dear", "grpo", forward_time="2x20 0 2x20", forward_backward_time="9x20 20 9x20")
    assert (found.verdict, found.measured) == (Verdict.FIRED, 20.0)
