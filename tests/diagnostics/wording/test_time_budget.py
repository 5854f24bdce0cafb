"""Tests of the sentence of a time budget: each clause stands only where its figures exist."""

from collections.abc import Callable
from dataclasses import replace

from diagnostics.model.run import Run
from diagnostics.model.samples import Sample, Samples
from diagnostics.time_budget.budget import time_budget
from diagnostics.wording.time_budget import budget_sentence, shares_line

MakeRun = Callable[..., Run]
IN_TURN = {"step_time": "100x10", "generation_time": "72x10", "update_time": "20x10"}


def sentence_of(run: Run) -> str:
    budget = time_budget(run)
    assert budget is not None
    return budget_sentence(run, budget)


def with_lengths(run: Run, lengths: list[int]) -> Run:
    rows = tuple(Sample(step=10, query="q", response="r", length=length) for length in lengths)
    return replace(run, samples=Samples(steps=(10,), load=lambda step: rows))


def test_without_samples_it_says_no_more_than_the_times(make_run: MakeRun) -> None:
    run = make_run("grpo", **IN_TURN)
    assert (
        sentence_of(run) == "Generation-bound: 72 % of a step goes to generation; without it a step would take 0.28×."
    )
    budget = time_budget(run)
    assert budget is not None
    assert shares_line(budget) == "100 s a step: generation 72 %, updates 20 %, not timed 8 %"


def test_sampled_lengths_tell_what_the_longest_answers_cost(make_run: MakeRun) -> None:
    run = with_lengths(make_run("grpo", **IN_TURN), [1024] * 95 + [4096] * 5)
    assert "at most" not in sentence_of(with_lengths(run, [1024] * 100))
    run = with_lengths(run, [1024] * 97 + [4096] * 3)
    told = (
        "at most 54 % waits for the longest 5 % of answers; at a limit of 1,024 tokens a step would take 0.46× or more"
    )
    assert told in sentence_of(run)


def test_samples_without_the_longest_answer_are_not_the_whole_batch(make_run: MakeRun) -> None:
    run = with_lengths(make_run("grpo", **IN_TURN, length_max="8000x10"), [1024] * 97 + [4096] * 3)
    assert "waits for the longest" not in sentence_of(run)


def test_a_trainer_that_waits_and_one_that_holds_others_up(make_run: MakeRun) -> None:
    waiting = make_run("grpo", step_time="10x9", rollout_wait_time="4x9", update_time="5x9", backpressure_time="0x9")
    assert sentence_of(waiting) == (
        "Generation-bound: 40 % of a step waits for rollouts; without it a step would take 0.6×."
    )
    busy = make_run("grpo", step_time="10x9", rollout_wait_time="0x9", update_time="9x9", backpressure_time="3x9")
    assert sentence_of(busy) == (
        "Trainer-bound: 90 % of a step goes to updates; "
        "a faster trainer could bring a step to 0.7×, then rollouts hold it up."
    )


def test_what_is_only_a_bound_is_called_one(make_run: MakeRun) -> None:
    run = make_run("grpo", step_time="10x9", rollout_wait_time="0x9", update_time="9x9")
    assert sentence_of(run) == (
        "Trainer-bound: 90 % of a step goes to updates; without it a step would take at least 0.1×; "
        "how much more depends on the wait of the rollout workers, which is not logged."
    )


def test_overlap_is_said_once(make_run: MakeRun) -> None:
    run = make_run("grpo", step_time="10x9", generation_time="8x9", update_time="4x9")
    assert sentence_of(run) == (
        "Generation-bound: 80 % of a step goes to generation; without it a step would take at least 0.2×; "
        "stages overlap: together they take 120 % of a step."
    )
