"""Tests of run-died."""

from collections.abc import Callable
from dataclasses import replace

import pytest

from diagnostics.causes import ranked_causes, with_fixes
from diagnostics.model.messages import render
from diagnostics.model.outcome import Outcome, Severity, Verdict
from diagnostics.model.run import Run
from diagnostics.rules import engine, evaluate
from diagnostics.rules.run.oom import Oom
from diagnostics.rules.run.run_died import RunDied
from diagnostics.texts import templates
from tests.diagnostics.last_words import printed

MakeRun = Callable[..., Run]


def ended_run(make_run: MakeRun, state: str, *lines: str, error: str | None = None, steps: str = "0.5x7") -> Run:
    run = make_run("grpo", reward=steps)
    return replace(run, console_tail="\n".join(lines), status=replace(run.status, state=state, error=error))


def outcome_of(run: Run) -> Outcome:
    (outcome,) = with_fixes(run, engine.evaluate(run, [RunDied()]))
    return outcome


def sentences(run: Run) -> tuple[str, str]:
    outcome = outcome_of(run)
    assert outcome.headline is not None
    return render(outcome.headline, templates()), render(outcome.message, templates())


def test_a_full_disk_is_named_with_the_line_and_what_to_do(make_run: MakeRun) -> None:
    run = ended_run(make_run, "failed", printed.DISK, error=printed.DISK)
    assert sentences(run) == (
        "The run died of a full disk.",
        "The run ended after step 7: what it wrote did not fit on the disk. It printed: OSError: [Errno 28] No space "
        "left on device.",
    )
    outcome = outcome_of(run)
    assert (outcome.severity, outcome.first_step, outcome.remedies) == (Severity.CRITICAL, 7, ("freed-disk",))
    (cause,) = ranked_causes(run, [outcome])
    assert (cause.cause, render(cause.summary, templates())) == (
        "process-died",
        "The training ended because a disk is full.",
    )


def test_a_watchdog_that_printed_last_is_not_what_it_died_of(make_run: MakeRun) -> None:
    run = ended_run(make_run, "failed", printed.GRADER_STACK, printed.NCCL, printed.ELASTIC)
    headline, message = sentences(run)
    assert headline == "The run died of a reward function that did not come back."
    assert message.endswith(
        "; NCCL's watchdog fired as well (rank 2 waited 1800 s in BROADCAST for the other processes): it tells who "
        "waited, not for what."
    )
    assert outcome_of(run).remedies == ("bounded-grader", "stacks-of-the-wait")


def test_a_watchdog_alone_is_named_with_rank_operation_and_seconds(make_run: MakeRun) -> None:
    assert sentences(ended_run(make_run, "failed", printed.NCCL_OF_RAY))[1] == (
        "The run ended after step 7: rank 0 waited 7200 s in _ALLGATHER_BASE for the other processes. It printed: "
        "[Rank 0] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=17284, OpType=_ALLGATHER_BASE, "
        "NumelIn=415236096, NumelOut=1245708288, Timeout(ms)=72000…."
    )


def test_an_error_of_its_own_is_quoted(make_run: MakeRun) -> None:
    assert sentences(ended_run(make_run, "failed", printed.MATH_VERIFY, error="KeyError: 'answer'")) == (
        "The run died of an error of its own.",
        "The run ended after step 7 with KeyError: 'answer'.",
    )


def test_a_run_that_failed_before_its_first_step_says_so(make_run: MakeRun) -> None:
    run = ended_run(make_run, "failed", error="ValueError: no answer key", steps="")
    assert sentences(run)[1] == "The run ended before its first step with ValueError: no answer key."


def test_a_process_that_is_gone_without_a_word_is_a_warning(make_run: MakeRun) -> None:
    outcome = outcome_of(ended_run(make_run, "died", error="Its process ended without a word"))
    assert outcome.severity is Severity.WARNING
    assert render(outcome.message, templates()) == (
        "The process of the run ended after step 7 without a word: a person, the kernel or a job's end killed it."
    )


def test_a_run_that_died_of_a_nan_died_of_what_made_it(make_run: MakeRun) -> None:
    run = make_run("ppo", value_loss="1x9 nanx3")
    assert named_of(run, printed.NOT_FINITE) == ["numerical-breakdown"]
    assert named_of(run, "ValueError: The sum of the mask is zero") == ["numerical-breakdown"]
    assert sorted(named_of(run, "KeyError: 'answer'")) == ["numerical-breakdown", "process-died"]


def test_scores_of_hundreds_explain_the_nan_that_a_run_died_of(make_run: MakeRun) -> None:
    run = make_run("ppo", score="900x12", rlhf_reward="900x12", value_loss="1x9 nanx3")
    assert named_of(run, "ValueError: The sum of the mask is zero") == ["reward-scale"]


def test_where_nothing_is_logged_the_error_tells_of_the_numbers(make_run: MakeRun) -> None:
    run = ended_run(make_run, "failed", error=printed.HISTOGRAM, steps="")
    assert [cause.cause for cause in ranked_causes(run, evaluate(run))] == ["numerical-breakdown"]


def named_of(run: Run, error: str) -> list[str]:
    """The causes of the run if this error ended it."""
    failed = replace(run, status=replace(run.status, state="failed", error=error))
    return [cause.cause for cause in ranked_causes(failed, evaluate(failed))]


def test_memory_is_left_to_its_own_rule(make_run: MakeRun) -> None:
    run = ended_run(make_run, "failed", printed.RAYLET, printed.RAY, printed.RAY_WORKER, error=printed.RAY)
    by_rule = {outcome.rule: outcome for outcome in engine.evaluate(run, [Oom(), RunDied()])}
    assert by_rule["run-died"].verdict is Verdict.QUIET
    assert by_rule["oom"].severity is Severity.CRITICAL
    assert by_rule["oom"].remedies == ("less-on-the-host", "later-engine")


def test_that_memory_ran_out_is_not_taken_from_a_guess_of_ray(make_run: MakeRun) -> None:
    run = ended_run(make_run, "failed", printed.RAY_WORKER)
    by_rule = {outcome.rule: outcome.verdict for outcome in engine.evaluate(run, [Oom(), RunDied()])}
    assert by_rule == {"oom": Verdict.QUIET, "run-died": Verdict.FIRED}


def test_a_failure_of_which_nothing_is_known_is_a_warning(make_run: MakeRun) -> None:
    outcome = outcome_of(ended_run(make_run, "failed"))
    assert (outcome.severity, outcome.headline.template) == (Severity.WARNING, "run-died.headline_failed")
    assert render(outcome.message, templates()) == (
        "The run failed after step 7; neither its error nor what it printed is in the log."
    )


def test_it_is_skipped_where_nothing_says_how_the_run_ended(make_run: MakeRun) -> None:
    outcome = outcome_of(ended_run(make_run, "died"))
    assert (outcome.verdict, outcome.enable is not None) == (Verdict.SKIPPED, True)


@pytest.mark.parametrize("state", ["running", "finished", "stopped", "silent", "unknown"])
def test_a_run_that_did_not_die_is_not_judged(make_run: MakeRun, state: str) -> None:
    assert engine.evaluate(ended_run(make_run, state, printed.DISK), [RunDied()]) == ()
