"""What one run measures over the window: means, times and memory, or the reason why nothing."""

import math
from pathlib import Path

import numpy as np
import pytest

from benchmarks.healthy_curves import Noise
from diagnostics.gate.readings import logarithm_of, mean_of
from diagnostics.model.run import DataHealth, Run
from diagnostics.model.samples import Samples
from diagnostics.model.series import Series
from diagnostics.model.status import Status

STEPS = np.arange(1, 41)


def run(times: bool = True, **values: object) -> Run:
    """A run of 40 steps, one every two seconds."""
    written = 1.7e9 + 2.0 * STEPS if times else np.empty(0)
    series = {
        name: Series(name, name, STEPS, np.broadcast_to(np.asarray(value, dtype=float), 40).copy(), written)
        for name, value in {"reward": 0.5, **values}.items()
    }
    status = Status("finished", 40, 40)
    return Run(Path("a"), "a", "a", (), "trl", None, "grpo", series, {}, Samples(), status, DataHealth(), 0.0)


def test_a_mean_over_the_window_has_an_error_that_grows_with_autocorrelation() -> None:
    white = [Noise(seed, 40)() for seed in range(20)]
    dependent = [Noise(seed, 40, phi=0.8)() for seed in range(20)]  # of the same variance
    of_white, of_dependent = (
        np.mean([mean_of(run(reward=values), "reward", (21, 40)).error for values in each])
        for each in (white, dependent)
    )
    assert mean_of(run(reward=white[0]), "reward", (21, 40)).value == pytest.approx(white[0][20:].mean())
    assert of_white == pytest.approx(1 / math.sqrt(20), rel=0.25)
    assert of_dependent > 1.3 * of_white


def test_times_and_memory_are_taken_as_logged_else_by_the_clock() -> None:
    assert math.exp(logarithm_of(run(step_time=0.25), "step_time", (31, 40)).value) == pytest.approx(0.25)
    assert math.exp(logarithm_of(run(), "step_time", (31, 40)).value) == pytest.approx(2.0)
    assert math.exp(logarithm_of(run(), "wall_time", (31, 40)).value) == pytest.approx(78.0)
    assert math.exp(logarithm_of(run(process_memory=STEPS), "memory", (11, 20)).value) == pytest.approx(20.0)


@pytest.mark.parametrize(
    ("measured", "problem"),
    [
        (mean_of(run(), "kl_per_token", (1, 40)), "kl_per_token is not logged"),
        (mean_of(run(), "reward", (40, 41)), "it got to step 40, and the window is steps 40 to 41"),
        (mean_of(run(), "reward", (40, 40)), "reward has 1 points in steps 40 to 40, too few to judge"),
        (
            mean_of(run(reward=np.where(STEPS == 35, np.nan, 1.0)), "reward", (31, 40)),
            "NaN or infinite at 1 of 10 points",
        ),
        (logarithm_of(run(times=False), "wall_time", (31, 40)), "the log tells no time"),
        (logarithm_of(run(), "memory", (31, 40)), "no memory is logged"),
        (logarithm_of(run(step_time=0.0), "step_time", (31, 40)), "step_time is 0"),
    ],
    ids=lambda value: value.replace(" ", "-") if isinstance(value, str) else "",
)
def test_what_cannot_be_measured_says_why(measured, problem: str) -> None:
    assert problem in measured.problem
