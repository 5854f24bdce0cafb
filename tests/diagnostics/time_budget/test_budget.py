"""Tests of the time budget: shares of a step, gaps, stages that happen now and then, and overlap."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from diagnostics.model.run import Run
from diagnostics.model.series import Series
from diagnostics.time_budget.budget import TimeBudget, time_budget

MakeRun = Callable[..., Run]


def budget_of(run: Run) -> TimeBudget:
    budget = time_budget(run)
    assert budget is not None
    return budget


def at_steps(run: Run, name: str, steps: list[int], value: float) -> Run:
    series = Series(name, name, np.array(steps, dtype=np.int64), np.full(len(steps), value))
    return replace(run, series={**run.series, name: series})


def test_stages_and_what_none_accounts_for_are_the_whole_step(make_run: MakeRun) -> None:
    budget = budget_of(make_run("grpo", step_time="10x5", generation_time="6x5", reward_time="1x5", update_time="2x5"))
    assert budget.shares == {"generate": 0.6, "update": 0.2, "score": 0.1, "other": 0.1}
    assert not budget.is_overlapping


def test_the_parts_of_a_stage_are_added_up(make_run: MakeRun) -> None:
    run = make_run("ppo", step_time="10x5", update_time="2x5", value_update_time="3x5", forward_backward_time="9x5")
    assert budget_of(run).shares == {"update": 0.5, "other": 0.5}


def test_what_happens_now_and_then_takes_nothing_in_between(make_run: MakeRun) -> None:
    run = at_steps(make_run("grpo", step_time="10x20", update_time="5x20"), "checkpoint_time", [10, 20], 4.0)
    budget = budget_of(run)
    assert budget.seconds["checkpoint"].tolist() == ([0.0] * 9 + [4.0]) * 2
    assert budget.shares["checkpoint"] == pytest.approx(0.04)


def test_a_gap_in_what_is_logged_every_step_stays_a_gap(make_run: MakeRun) -> None:
    every = [step for step in range(1, 21) if step != 7]
    budget = budget_of(at_steps(make_run("grpo", step_time="10x20"), "generation_time", every, 6.0))
    assert np.flatnonzero(np.isnan(budget.seconds["generate"])).tolist() == [6]
    assert np.flatnonzero(np.isnan(budget.seconds["other"])).tolist() == [6]
    assert budget.shares == {"generate": 0.6, "other": 0.4}


def test_stages_longer_than_the_step_are_an_excess_and_never_a_negative_rest(make_run: MakeRun) -> None:
    budget = budget_of(make_run("grpo", step_time="10x5", generation_time="8x5", update_time="4x5"))
    assert budget.seconds["other"].tolist() == [0.0] * 5
    assert budget.overlap == pytest.approx(0.2)


def test_rollouts_beside_a_trainer_that_waits_are_no_part_of_its_step(make_run: MakeRun) -> None:
    times = {"step_time": "10x5", "generation_time": "9x5", "reward_time": "3x5", "update_time": "8x5"}
    budget = budget_of(make_run("grpo", **times, rollout_wait_time="1x5"))
    assert budget.is_overlapping
    assert set(budget.seconds) == {"wait", "update", "other"}
    assert {name: float(values[0]) for name, values in budget.beside.items()} == {"generate": 9.0, "score": 3.0}
    assert budget.overlap == 0.0


def test_a_share_of_idle_time_is_waiting(make_run: MakeRun) -> None:
    assert budget_of(make_run("grpo", step_time="10x5", idle_fraction="0.3x5")).shares["wait"] == pytest.approx(0.3)


def test_a_nan_step_counts_for_nothing(make_run: MakeRun) -> None:
    budget = budget_of(make_run("grpo", step_time="10x4 nanx1", generation_time="6x5"))
    assert budget.shares == {"generate": 0.6, "other": 0.4}


def test_without_the_step_or_its_parts_there_is_no_budget(make_run: MakeRun) -> None:
    assert time_budget(make_run("grpo", generation_time="6x5")) is None
    assert time_budget(make_run("grpo", step_time="10x5", reward="1x5")) is None
