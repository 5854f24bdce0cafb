"""Seeds are answered as their mean and range at the steps that all logged, and no spike of either is lost."""

from pathlib import Path

import numpy as np

from app.charts.answer import Points
from app.charts.packing import packed
from app.charts.question import Question
from app.charts.seeds import band_of
from diagnostics.api import open_run
from diagnostics.model.run import Run
from diagnostics.model.series import Values

LONG, COLUMNS = 50_000, 300


def run_of(file: Path, values: Values, first: int = 1) -> Run:
    rows = "\n".join(f"{step},{value!r}" for step, value in enumerate(values.tolist(), first))
    file.write_text(f"step,reward\n{rows}\n")
    return open_run(file)


def ask(*runs: Run, smoothing: int = 0) -> Points:
    return band_of(runs, "reward", Question((), -np.inf, np.inf, COLUMNS, "step", smoothing))


def test_mean_and_range_stand_at_the_steps_that_all_logged(tmp_path: Path) -> None:
    one = run_of(tmp_path / "a.csv", np.array([1.0, 2.0, 3.0, np.nan]))
    other = run_of(tmp_path / "b.csv", np.array([6.0, 3.0, 8.0, 9.0]), first=2)
    answer = ask(one, other)
    assert list(answer.steps) == [2, 3, 4]
    np.testing.assert_array_equal([4.0, 3.0, np.nan], answer.values)
    np.testing.assert_array_equal([2.0, 3.0, np.nan], answer.low)
    np.testing.assert_array_equal([6.0, 3.0, np.nan], answer.high)
    assert list(ask(one, other, smoothing=5).smoothed[:2]) == [4.0, 3.5]


def test_a_long_group_takes_few_points_and_keeps_every_spike_of_its_edges(tmp_path: Path) -> None:
    one, other = np.full(LONG, 1.0), np.full(LONG, 3.0)
    one[12_344], other[40_000] = -9.0, 20.0
    answer = ask(run_of(tmp_path / "a.csv", one), run_of(tmp_path / "b.csv", other))
    assert (answer.low.min(), answer.high.max()) == (-9.0, 20.0)
    assert len(answer.places) < 10 * COLUMNS
    assert len(packed([answer], "1")) > 5 * 8 * len(answer.places)


def test_runs_without_a_step_in_common_have_no_mean(tmp_path: Path) -> None:
    one, other = run_of(tmp_path / "a.csv", np.ones(3)), run_of(tmp_path / "b.csv", np.ones(3), first=10)
    assert len(ask(one, other).places) == len(ask(one).places) == 0
