"""How long a stretch of steps took, by rows and by step times; what no training was is left out, nothing is guessed."""

from dataclasses import replace

import numpy as np
import pytest

from diagnostics.cost.training_time import LEAST_BREAK, time_of_steps
from diagnostics.model.cost import TrainingTime
from diagnostics.model.run import Run
from diagnostics.model.series import NO_STEPS, NO_VALUES, Series, Steps, Values

START = 1_700_000_000.0


def series(
    name: str,
    steps: list[int],
    values: Values | float = 0.5,
    times: list[float] | None = None,
    replaced: Steps = NO_STEPS,
) -> Series:
    """A metric at these steps, its rows written so many seconds after the start."""
    written = NO_VALUES if times is None else START + np.array(times)
    held = np.broadcast_to(np.asarray(values, dtype=np.float64), len(steps))
    return Series(name, name, np.array(steps), held, written, replaced_steps=replaced)


@pytest.fixture
def run_of(make_run):
    """A run of these series."""

    def build(*logged: Series, resumed_after: tuple[int, ...] = (), rewinds: int = 0) -> Run:
        run = make_run("grpo")
        health = replace(run.data_health, rewinds=rewinds)
        return replace(
            run, series={item.name: item for item in logged}, resumed_after=resumed_after, data_health=health
        )

    return build


def test_rows_tell_the_time_from_the_onset_to_the_last_step(run_of) -> None:
    run = run_of(series("reward", [1, 2, 3, 4, 5], times=[0, 10, 20, 30, 45]))
    assert time_of_steps(run, 2, 5) == TrainingTime(35, "rows", is_whole=True)


def test_a_run_without_times_tells_none(run_of) -> None:
    assert time_of_steps(run_of(series("reward", [1, 2, 3])), 1, 3) is None


def test_a_single_row_is_no_interval(run_of) -> None:
    assert time_of_steps(run_of(series("reward", [1], times=[10])), 1, 2) is None


def test_rows_before_and_after_the_stretch_do_not_count(run_of) -> None:
    run = run_of(series("reward", [1, 2, 3, 4], times=[0, 100, 110, 500]))
    assert time_of_steps(run, 2, 3) == TrainingTime(10, "rows", is_whole=True)


def test_an_onset_between_two_rows_leaves_a_part_unknown(run_of) -> None:
    run = run_of(series("reward", [10, 20, 30, 40], times=[0, 60, 120, 180]))
    assert time_of_steps(run, 12, 40) == TrainingTime(120, "rows", is_whole=False)


def test_the_gap_before_a_resumption_is_no_training(run_of) -> None:
    run = run_of(series("reward", [1, 2, 3, 4, 5], times=[0, 10, 20, 90_000, 90_010]), resumed_after=(3,))
    assert time_of_steps(run, 1, 5) == TrainingTime(30, "rows", is_whole=False)


def test_a_resumption_is_left_out_however_short_its_gap(run_of) -> None:
    run = run_of(series("reward", [1, 2, 3, 4], times=[0, 10, 20, 50]), resumed_after=(3,))
    assert time_of_steps(run, 1, 4) == TrainingTime(20, "rows", is_whole=False)


def test_a_resumption_at_the_onset_is_left_out_and_one_before_it_does_not_matter(run_of) -> None:
    rows = series("reward", [1, 2, 3, 4], times=[0, 10, 20, 50])
    assert time_of_steps(run_of(rows, resumed_after=(2,)), 2, 4) == TrainingTime(30, "rows", is_whole=False)
    assert time_of_steps(run_of(rows, resumed_after=(1,)), 2, 4) == TrainingTime(40, "rows", is_whole=True)


def test_a_rewound_log_shows_where_it_was_resumed(run_of) -> None:
    rows = series("reward", [1, 2, 3, 4, 5], times=[0, 10, 400, 410, 420], replaced=np.array([3, 4]))
    assert time_of_steps(run_of(rows, rewinds=1), 1, 5) == TrainingTime(30, "rows", is_whole=False)


def test_rows_logged_twice_in_one_step_are_no_resumption(run_of) -> None:
    rows = series("reward", [1, 2, 3, 4, 5], times=[0, 10, 20, 30, 40], replaced=np.array([3, 4]))
    assert time_of_steps(run_of(rows), 1, 5) == TrainingTime(40, "rows", is_whole=True)


@pytest.mark.parametrize(("gap", "seconds", "is_whole"), [(LEAST_BREAK - 1, 1829, True), (LEAST_BREAK, 30, False)])
def test_a_break_of_half_an_hour_and_ten_intervals_is_no_training(run_of, gap, seconds, is_whole) -> None:
    run = run_of(series("reward", [1, 2, 3, 4, 5], times=[0, 10, 20, 20 + gap, 30 + gap]))
    assert time_of_steps(run, 1, 5) == TrainingTime(seconds, "rows", is_whole)


def test_an_hour_is_no_break_where_steps_take_long(run_of) -> None:
    run = run_of(series("reward", [1, 2, 3, 4], times=[0, 600, 4200, 4800]))
    assert time_of_steps(run, 1, 4) == TrainingTime(4800, "rows", is_whole=True)


def test_rows_that_were_not_logged_are_no_break(run_of) -> None:
    run = run_of(series("reward", [1, 2, 3, 103], times=[0, 100, 200, 10_200]))
    assert time_of_steps(run, 1, 103) == TrainingTime(10_200, "rows", is_whole=True)


def test_a_clock_that_goes_back_is_not_counted(run_of) -> None:
    run = run_of(series("reward", [1, 2, 3, 4], times=[0, 10, -5000, -4990]))
    assert time_of_steps(run, 1, 4) == TrainingTime(20, "rows", is_whole=False)


def test_a_row_without_a_time_is_left_out(run_of) -> None:
    run = run_of(series("reward", [1, 2, 3], times=[0, -START, 20]))
    assert time_of_steps(run, 1, 3) == TrainingTime(20, "rows", is_whole=True)


@pytest.mark.parametrize("times", [[3.1, 3.2, 3.3], [1.7e12, 1.7e12 + 10_000, 1.7e12 + 20_000]])
def test_what_is_no_moment_in_seconds_is_no_clock(run_of, times: list[float]) -> None:
    rows = series("reward", [1, 2, 3], times=[time - START for time in times])
    assert time_of_steps(run_of(rows), 1, 3) is None


def test_a_tag_that_is_logged_at_every_call_is_no_clock_where_a_metric_is_one(run_of) -> None:
    calls = series("profiling/Time taken: generate", [0, 1, 2, 3, 4], times=[0, 1, 2, 3, 4])
    run = run_of(calls, series("reward", [5, 10, 15], times=[0, 50, 100]))
    assert time_of_steps(run, 5, 15) == TrainingTime(100, "rows", is_whole=True)


def test_evaluations_are_no_rows_of_the_training(run_of) -> None:
    run = run_of(series("eval/reward", [1, 2, 3, 4], times=[0, 1, 2, 3]))
    assert time_of_steps(run, 1, 4) is None


def test_without_a_clock_the_step_times_are_added(run_of) -> None:
    run = run_of(series("step_time", [1, 2, 3, 4], np.array([9.0, 10.0, 11.0, 12.0])))
    assert time_of_steps(run, 2, 4) == TrainingTime(23, "step_time", is_whole=True)


def test_a_row_that_averages_ten_steps_counts_ten_times(run_of) -> None:
    run = run_of(series("step_time", [10, 20, 30], 2.0))
    assert time_of_steps(run, 10, 30) == TrainingTime(40, "step_time", is_whole=True)


def test_a_row_counts_only_its_steps_after_the_onset(run_of) -> None:
    run = run_of(series("step_time", [10, 20, 30], 2.0))
    assert time_of_steps(run, 12, 30) == TrainingTime(36, "step_time", is_whole=True)


def test_steps_that_no_row_stands_for_have_no_time(run_of) -> None:
    run = run_of(series("step_time", [1, 2, 3, 100], 2.0))
    assert time_of_steps(run, 1, 100) == TrainingTime(6, "step_time", is_whole=False)


def test_a_step_time_that_is_no_number_is_left_out(run_of) -> None:
    run = run_of(series("step_time", [1, 2, 3], np.array([1.0, np.nan, 2.0])))
    assert time_of_steps(run, 1, 3) == TrainingTime(2, "step_time", is_whole=False)


def test_the_clock_counts_what_lies_between_steps_too(run_of) -> None:
    run = run_of(series("step_time", [1, 2, 3], 8.0, times=[0, 10, 20]))
    assert time_of_steps(run, 1, 3) == TrainingTime(20, "rows", is_whole=True)


@pytest.mark.parametrize(("seconds", "clock"), [(4.0, "rows"), (3.9, "step_time")])
def test_rows_that_were_written_again_later_tell_no_time(run_of, seconds: float, clock: str) -> None:
    run = run_of(series("step_time", [1, 2], 8.0, times=[0, seconds]))
    found = time_of_steps(run, 1, 2)
    assert found is not None
    assert found.clock == clock
