"""An answer holds the points of a window, or only what is new, as long as what the chart has is still true."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from app.charts.answer import Points, points_of
from app.charts.packing import packed
from app.charts.question import Mark, Question, Wanted
from diagnostics.api import open_run
from diagnostics.model.run import Run
from diagnostics.runlog import RunLog

LONG = 100_000
COLUMNS = 300


def run_of(folder: Path, values: list[float]) -> Run:
    with RunLog(folder / "a", algorithm="grpo") as log:
        for step, value in enumerate(values, 1):
            log.log(step, {"reward": value})
    return open_run(folder / "a")


def ask(run: Run, since: Mark | None = None, **more: Any) -> Points:
    given = {"first": -np.inf, "last": np.inf, "columns": COLUMNS, "axis": "step", "smoothing": 0, **more}
    wanted = Wanted(str(run.path), "reward", replaced=False, since=since)
    return points_of(run, wanted, Question(curves=(wanted,), **given))


def test_only_new_points_travel_when_a_run_has_grown(tmp_path: Path) -> None:
    first = ask(run_of(tmp_path, [0.1, 0.2]))
    grown = ask(run_of(tmp_path / "later", [0.1, 0.2, np.nan, 0.4]), since=first.mark)
    assert grown.adds
    assert list(grown.steps) == [3, 4]
    np.testing.assert_array_equal([np.nan, 0.4], grown.values)


@pytest.mark.parametrize("mark", [Mark(2, 3, 0), Mark(2, 2, 1), Mark(9, 9, 0)])
def test_a_history_that_is_another_one_comes_whole(tmp_path: Path, mark: Mark) -> None:
    answer = ask(run_of(tmp_path, [0.1, 0.2, 0.3]), since=mark)
    assert not answer.adds
    assert list(answer.steps) == [1, 2, 3]


def test_a_new_step_of_a_long_run_takes_no_more_bytes_than_one_of_a_short_run(tmp_path: Path, long_run: Run) -> None:
    short = run_of(tmp_path, [0.1] * 100)
    sizes = [
        len(packed([ask(run, Mark(steps - 1, steps - 1, 0))], 1)) for run, steps in ((short, 100), (long_run, LONG))
    ]
    assert sizes[1] - sizes[0] <= 16  # a longer mark
    assert sizes[1] < 200


def test_a_long_run_is_answered_with_as_many_points_as_there_are_columns_to_show_them(long_run: Run) -> None:
    assert len(ask(long_run).places) <= 10 * COLUMNS + 2
    assert len(ask(long_run, first=500, last=600).places) == 103


def test_smoothed_values_that_are_new_are_those_that_all_points_give(tmp_path: Path) -> None:
    values = [float(value) for value in np.sin(np.arange(60))]
    run = run_of(tmp_path, values)
    whole, grown = ask(run, smoothing=20), ask(run, Mark(50, 50, 0), smoothing=20)
    np.testing.assert_allclose(whole.smoothed[50:], grown.smoothed)
    assert len(grown.smoothed) == 10


def test_a_series_that_the_run_does_not_have_has_no_points(tmp_path: Path) -> None:
    wanted = Wanted("a", "nothing of this name", replaced=False, since=None)
    question = Question((wanted,), -np.inf, np.inf, COLUMNS, "step", 0)
    assert len(points_of(run_of(tmp_path, [0.1]), wanted, question).places) == 0


@pytest.fixture(scope="module")
def long_run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    folder = tmp_path_factory.mktemp("long")
    rows = "\n".join(f"{step},{step % 7}" for step in range(1, LONG + 1))
    (folder / "a.csv").write_text(f"step,reward\n{rows}\n")
    return open_run(folder / "a.csv")
