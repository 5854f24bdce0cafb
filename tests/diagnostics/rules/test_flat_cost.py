"""A new step of a long run costs what one of a short run costs: nothing looks at all points again."""

import time
from dataclasses import replace

import numpy as np
import pytest

from benchmarks.healthy_curves import Noise, grpo, ppo
from diagnostics.model.run import Run
from diagnostics.model.series import Series, Values
from diagnostics.rules import engine
from diagnostics.rules.run import CATALOG

SHORT, LONG = 2_000, 200_000
LOOKS = 12
SETTLED = 3  # looks: the first reads everything, the next make room for what follows
MOST = 1.8  # measured: 1.0 to 1.2; before nothing looked at all points again it was 3 to 9
RUNS = {"grpo": grpo, "ppo": ppo}


def with_fault(run: Run) -> Run:
    """The run with lengths, ratios and KL that leave their place at a third of it."""
    sick = {name: _shifted(series) for name, series in run.series.items() if name in FAULTY}
    limit = float(run.config.get("max_completion_length", 100))
    stopped = replace(run.series["length_mean"], name="length_max", values=_running_into(limit, run))
    return replace(run, series={**run.series, **sick, "length_max": stopped})


FAULTY = ("approx_kl", "kl_per_token", "kl_per_sequence", "truncated_fraction", "ratio_mean", "grad_norm")


def _running_into(limit: float, run: Run) -> Values:
    """Longest answers that stop dead at half of the limit, as they do behind a limit that was lowered."""
    points = len(run.series["length_mean"])
    scattered = limit * (0.6 + 0.1 * Noise(1, points)())
    return np.where(np.arange(points) > points - LOOKS - 30, limit / 2, np.maximum(scattered, limit * 0.51))


def _shifted(series: Series) -> Series:
    return replace(series, values=series.values + 8.0 * (np.arange(len(series)) > len(series) // 3))


def cost(run: Run) -> float:
    """The CPU seconds of the cheapest of the last looks at a run that grows by a point from look to look."""
    evaluator, spent = engine.Evaluator(CATALOG), []
    points = max(len(series) for series in run.series.values())
    for stage in range(points - LOOKS, points):
        grown = {name: _until(series, stage) for name, series in run.series.items()}
        started = time.process_time()
        evaluator.update(replace(run, series=grown))
        spent.append(time.process_time() - started)
    return min(spent[SETTLED:])


def _until(series: Series, points: int) -> Series:
    return replace(series, steps=series.steps[:points], values=series.values[:points])


@pytest.mark.parametrize("algorithm", RUNS)
@pytest.mark.parametrize("is_sick", [False, True], ids=["healthy", "sick"])
def test_a_new_step_costs_the_same_in_a_run_a_hundred_times_as_long(algorithm: str, is_sick: bool) -> None:
    short, long = (RUNS[algorithm](Noise(0, points, 0.5)) for points in (SHORT, LONG))
    if is_sick:
        short, long = with_fault(short), with_fault(long)
    assert cost(long) < MOST * cost(short)
