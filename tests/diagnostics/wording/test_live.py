"""How long a training will take, and how long it has been silent."""

import time
from pathlib import Path

import numpy as np

from diagnostics.model.run import DataHealth, Run
from diagnostics.model.samples import Samples
from diagnostics.model.series import Series
from diagnostics.model.status import Status
from diagnostics.wording.live import silence, time_left


def run(status: Status, seconds_per_step: float = 2.0, newest: float = 0.0) -> Run:
    """A run of ten steps whose last was written `newest` seconds ago."""
    steps = np.arange(1, 11)
    times = time.time() - newest - seconds_per_step * (10 - steps)
    series = {"reward": Series("reward", "reward", steps, np.ones(10), times)}
    return Run(
        Path(), "id", "a", (), "rlvitals", None, "grpo", series, {}, Samples(), status, DataHealth(), time.time()
    )


def test_the_time_left_follows_from_the_pace_so_far() -> None:
    assert time_left(run(Status("running", 10, 100))) == "3 min left"


def test_a_run_that_ended_has_no_time_left() -> None:
    assert time_left(run(Status("stopped", 10, 100))) == ""


def test_a_running_run_without_data_for_long_says_so_as_a_fact() -> None:
    assert silence(run(Status("running", 10, 100), newest=720), time.time()) == "no new data for 12 min"


def test_a_finished_run_is_not_reproached_for_its_silence() -> None:
    assert silence(run(Status("finished", 10, 100), newest=720), time.time()) == ""
