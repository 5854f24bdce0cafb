"""A point lies where the run had got to when it was logged, on whichever axis."""

from pathlib import Path

import numpy as np
import pytest

from diagnostics.api import open_run
from diagnostics.curves.axes import axes_of, places_on
from diagnostics.model.run import Run
from diagnostics.model.series import Series
from diagnostics.runlog import RunLog


@pytest.fixture
def run(tmp_path: Path) -> Run:
    with RunLog(tmp_path / "a", algorithm="grpo") as log:
        for step, tokens in ((1, 100.0), (2, 250.0), (4, 450.0)):
            log.log(step, {"reward": 0.5, "num_tokens": tokens})
    return open_run(log.directory)


def series(*steps: int, times: tuple[float, ...] = ()) -> Series:
    return Series("x", "x", np.array(steps), np.zeros(len(steps)), np.array(times))


def test_only_axes_are_offered_whose_counter_was_logged(run: Run) -> None:
    assert axes_of(run) == ("step", "tokens", "wall", "relative")


def test_a_step_without_a_reading_lies_between_its_neighbours(run: Run) -> None:
    assert list(places_on("tokens", series(1, 2, 3, 4, 9), run)) == [100.0, 250.0, 350.0, 450.0, 450.0]
    assert list(places_on("step", series(1, 3), run)) == [1.0, 3.0]


def test_relative_time_begins_with_the_runs_first_point(run: Run) -> None:
    start = float(run.series["reward"].times[0])
    late = series(3, 4, times=(start + 60, start + 90))
    assert [round(place, 3) for place in places_on("relative", late, run)] == [60.0, 90.0]
    assert [start + 60, start + 90] == list(places_on("wall", late, run))


def test_a_clock_that_went_back_is_held(run: Run) -> None:
    back = series(1, 2, 3, times=(50.0, 20.0, 80.0))
    assert list(places_on("wall", back, run)) == [50.0, 50.0, 80.0]


def test_an_axis_whose_counter_the_run_has_not_logged_shows_steps(run: Run) -> None:
    assert list(places_on("episodes", series(1, 2), run)) == [1.0, 2.0]
