"""How times, states and findings are said."""

import time
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from app.words import duration, is_live, plain, progress, quiet_for, time_left, typed
from diagnostics.model.run import DataHealth, Run
from diagnostics.model.samples import Samples
from diagnostics.model.series import Series
from diagnostics.model.status import Status


def run(status: Status, seconds_per_step: float = 2.0, newest: float = 0.0) -> Run:
    """A run of ten steps whose last was written `newest` seconds ago."""
    steps = np.arange(1, 11)
    times = time.time() - newest - seconds_per_step * (10 - steps)
    series = {"reward": Series("reward", "reward", steps, np.ones(10), times)}
    return Run(
        Path(), "id", "a", (), "rlvitals", None, "grpo", series, {}, Samples(), status, DataHealth(), time.time()
    )


@pytest.mark.parametrize(
    ("seconds", "expected"), [(0, "0 s"), (59, "59 s"), (60, "1 min"), (720, "12 min"), (7200, "2 h"), (172800, "2 d")]
)
def test_a_duration_has_the_largest_fitting_unit(seconds: float, expected: str) -> None:
    assert expected == duration(seconds)


def test_a_setting_is_said_as_a_person_types_it() -> None:
    assert [typed(value) for value in (2e-4, ["accuracy", "brevity"], 26, "eos")] == [
        "0.0002", "accuracy, brevity", "26", "eos"
    ]  # fmt: skip


def test_the_time_left_follows_from_the_pace_so_far() -> None:
    assert time_left(run(Status("running", 10, 100))) == "3 min left"


def test_a_run_that_ended_has_no_time_left() -> None:
    assert time_left(run(Status("stopped", 10, 100))) == ""


def test_a_running_run_without_data_for_long_says_so_as_a_fact() -> None:
    assert quiet_for(run(Status("running", 10, 100), newest=720)) == "no new data for 12 min"


def test_a_finished_run_is_not_reproached_for_its_silence() -> None:
    assert quiet_for(run(Status("finished", 10, 100), newest=720)) == ""


def test_a_finished_run_is_not_polled_and_a_foreign_one_only_while_it_is_fresh() -> None:
    unknown = run(Status("unknown", 10, last_written=time.time() - 5))
    assert [is_live(run(Status("finished"))), is_live(unknown)] == [False, True]
    assert not is_live(replace(unknown, status=Status("unknown", 10, last_written=time.time() - 3600)))


def test_progress_names_the_total_where_it_is_known() -> None:
    assert [progress(run(Status("running", 10, total))) for total in (100, None)] == ["step 10/100", "step 10"]


def test_a_name_with_markdown_stays_a_name() -> None:
    assert plain("**a** $x$ :red[b]") == r"\*\*a\*\* \$x\$ \:red\[b\]"
