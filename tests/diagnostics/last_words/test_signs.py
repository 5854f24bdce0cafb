"""Tests of which sign tells how a training ended, among all that its processes print."""

from collections.abc import Callable
from dataclasses import replace

import pytest

from diagnostics.last_words import bystander, kind_of, leading_sign
from diagnostics.model.run import Run
from tests.diagnostics.last_words import printed

MakeRun = Callable[..., Run]


def run_that(make_run: MakeRun, state: str, *lines: str, error: str | None = None) -> Run:
    run = make_run("grpo", reward="0.5x7")
    return replace(run, console_tail="\n".join(lines), status=replace(run.status, state=state, error=error))


def test_a_hang_in_a_grader_is_not_that_of_the_watchdog_that_printed_last(make_run: MakeRun) -> None:
    run = run_that(make_run, "running", printed.GRADER_STACK, printed.NCCL)
    sign = leading_sign(run)
    assert sign is not None
    assert sign.kind.name == "grader"
    waiting = bystander(run, sign)
    assert waiting is not None
    assert waiting.values["operation"] == "BROADCAST"


def test_a_watchdog_alone_is_the_watchdog(make_run: MakeRun) -> None:
    run = run_that(make_run, "failed", printed.NCCL, printed.ELASTIC)
    assert kind_of(run) == "collective"
    sign = leading_sign(run)
    assert sign is not None
    assert bystander(run, sign) is None


@pytest.mark.parametrize(
    ("lines", "kind"),
    [
        ((printed.MATH_VERIFY, printed.CUDA, printed.NCCL), "gpu-memory"),
        ((printed.RAYLET, printed.RAY, printed.RAY_WORKER, printed.NCCL), "node-memory"),
        ((printed.DISK, printed.CUDA), "disk-full"),
        ((printed.CUDA, printed.ENGINE), "gpu-memory"),
        ((printed.RAY_WORKER, printed.SIGKILL), "worker-died"),
    ],
)
def test_what_ends_a_training_by_itself_comes_before_what_others_print(
    make_run: MakeRun, lines: tuple[str, ...], kind: str
) -> None:
    assert kind_of(run_that(make_run, "failed", *lines)) == kind


def test_of_several_lines_about_the_same_the_one_that_tells_most_is_quoted(make_run: MakeRun) -> None:
    sign = leading_sign(run_that(make_run, "failed", printed.RAYLET, printed.RAY))
    assert sign is not None
    assert (sign.signature.name, sign.values["total"]) == ("ray-memory-monitor", "937.50")


def test_a_grader_that_gave_up_on_answers_does_not_explain_a_kill(make_run: MakeRun) -> None:
    assert kind_of(run_that(make_run, "failed", printed.MATH_VERIFY, "Killed", error="Killed")) == "killed"
    assert kind_of(run_that(make_run, "died", printed.MATH_VERIFY)) == ""


def test_an_error_of_its_own_is_no_sign_of_what_was_printed_before(make_run: MakeRun) -> None:
    lines = (printed.MATH_VERIFY, "KeyError: 'answer'", printed.NCCL)
    assert leading_sign(run_that(make_run, "failed", *lines, error="KeyError: 'answer'")) is None


def test_an_error_of_a_grader_is_a_sign(make_run: MakeRun) -> None:
    assert kind_of(run_that(make_run, "failed", error="math_verify.errors.TimeoutException: timed out")) == "grader"


def test_nothing_printed_is_no_sign(make_run: MakeRun) -> None:
    assert leading_sign(run_that(make_run, "died")) is None
