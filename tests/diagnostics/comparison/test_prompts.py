"""The same prompt's answers in several runs."""

import math
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from diagnostics.comparison.prompts import MOST_STEPS, searched_steps, shared_prompts
from diagnostics.model.run import Run
from diagnostics.model.samples import Sample, Samples

Make = Callable[..., Run]


def with_samples(run: Run, rows: Mapping[int, list[Sample]], followed: tuple[int, ...] = ()) -> Run:
    return replace(run, samples=Samples(tuple(sorted(rows)), lambda step: tuple(rows[step]), followed))


def sample(step: int, query: str, response: str = "x", **more: Any) -> Sample:
    return Sample(step, query, response, **more)


def test_a_prompt_of_two_runs_is_shared_with_the_newest_answers_of_each(make_run: Make) -> None:
    first = with_samples(make_run("grpo"), {1: [sample(1, "p", "old")], 5: [sample(5, "p", "new"), sample(5, "q")]})
    second = with_samples(make_run("grpo"), {3: [sample(3, "p", "other")]})
    (shared,) = shared_prompts([first, second])
    assert shared.query == "p"
    assert [(item.step, item.samples[0].response) for item in shared.answers if item] == [(5, "new"), (3, "other")]


def test_the_best_score_comes_first_and_what_has_none_last(make_run: Make) -> None:
    rows = [sample(1, "p", str(score), score=score) for score in (0.1, None, math.nan, 0.9)]
    (shared,) = shared_prompts([with_samples(make_run("grpo"), {1: rows})] * 2)
    assert shared.answers[0] is not None
    assert [item.response for item in shared.answers[0].samples] == ["0.9", "0.1", "None", "nan"]


def test_prompts_of_all_runs_come_before_those_of_some(make_run: Make) -> None:
    both, every = [sample(1, "two"), sample(1, "three")], [sample(1, "three")]
    runs = [with_samples(make_run("grpo"), {1: rows}) for rows in (both, both, every)]
    assert [(item.query, item.runs) for item in shared_prompts(runs)] == [("three", 3), ("two", 2)]


def test_a_held_out_prompt_is_not_the_one_of_training(make_run: Make) -> None:
    runs = [with_samples(make_run("grpo"), {1: [sample(1, "p", split=split)]}) for split in ("train", "eval")]
    assert shared_prompts(runs) == ()


def test_nothing_after_the_chosen_step_is_shown(make_run: Make) -> None:
    run = with_samples(make_run("grpo"), {1: [sample(1, "p", "old")], 5: [sample(5, "p", "new")]})
    (shared,) = shared_prompts([run, run], until=4)
    assert [item.step for item in shared.answers if item] == [1, 1]


def test_only_the_newest_steps_are_read_from_disk(make_run: Make) -> None:
    read = list[int]()

    def load(step: int) -> tuple[Sample, ...]:
        read.append(step)
        return (sample(step, "p"),)

    run = replace(make_run("grpo"), samples=Samples(tuple(range(100)), load, followed_steps=(2,)))
    shared_prompts([run, run])
    assert len(read) == 2 * (MOST_STEPS + 1)
    assert searched_steps(run)[-1] == 2
