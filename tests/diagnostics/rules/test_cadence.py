"""Tests that a run is judged by its steps where its rows are means over several."""

from dataclasses import replace

import numpy as np
import pytest

from benchmarks.healthy_curves import Noise, grpo
from diagnostics.judge import judge
from diagnostics.model.quirks import Quirk
from diagnostics.model.run import Run
from diagnostics.producers.setting_lookup import settings_of_run
from diagnostics.rules.cadence import steps_of_point

EACH = 10
STEPS = 250


def logged_every(run: Run, each: int, *, stated: bool = True) -> Run:
    """The run as a trainer logs it that writes the mean of so many steps in one row."""
    rows = len(run.steps) // each
    config = {**run.config, "logging_steps": each} if stated else run.config
    averaged = {
        name: replace(
            series,
            steps=np.arange(1, rows + 1) * each,
            values=series.values[: rows * each].reshape(rows, each).mean(axis=1),
        )
        for name, series in run.series.items()
    }
    settings = settings_of_run(run.producer, run.algorithm, config)
    quirks = frozenset({Quirk.AVERAGES_LOGGED_STEPS})
    return replace(run, series=averaged, config=config, settings=settings, quirks=quirks)


@pytest.mark.parametrize("phi", [0.0, 0.7])
@pytest.mark.parametrize("stated", [True, False])
def test_a_complete_healthy_run_of_25_rows_is_judged_healthy(phi: float, stated: bool) -> None:
    verdicts = [
        judge(logged_every(grpo(Noise(seed, STEPS, phi)), EACH, stated=stated), {}).verdict for seed in range(5)
    ]
    assert verdicts == ["healthy"] * 5


def test_a_reward_that_falls_within_25_rows_is_found() -> None:
    run = grpo(Noise(0, STEPS))
    reward = run.series["reward"]
    shape = np.interp(np.arange(STEPS), [0, 120, STEPS], [0.4, 1.2, 0.5])
    fallen = replace(run, series={**run.series, "reward": replace(reward, values=shape + 0.03 * Noise(1, STEPS)())})
    found = {outcome.rule for outcome in judge(logged_every(fallen, EACH), {}).fired}
    assert "reward-regression" in found


def test_rows_that_are_no_means_count_as_one_step_each() -> None:
    run = grpo(Noise(0, STEPS))
    sparse = replace(logged_every(run, EACH, stated=False), quirks=frozenset())
    assert steps_of_point(sparse, sparse.series["reward"]) == 1
    assert judge(sparse, {}).verdict == "no-problem-found"


def test_rows_further_apart_than_any_logging_interval_are_on_another_axis() -> None:
    run = logged_every(grpo(Noise(0, STEPS)), EACH, stated=False)
    by_tokens = replace(run.series["reward"], steps=run.series["reward"].steps * 2048)
    assert steps_of_point(run, by_tokens) == 1
