"""Tests of growing columns: returned arrays never change, and an announced number of points is not trusted."""

import numpy as np

from diagnostics.readers.columns import Columns


def test_what_was_handed_out_does_not_change() -> None:
    columns = Columns()
    columns.add("a", 1, 0.5, 9.0)
    before = columns.series()["a"]

    columns.extend("a", np.arange(2, 500), np.arange(498.0), np.zeros(498))
    columns.add("a", 500, np.nan, 1.0)

    assert before.steps.tolist() == [1]
    after = columns.series()["a"]
    assert list(range(1, 501)) == after.steps.tolist()
    assert np.isnan(after.values[-1])


def test_a_file_that_promises_much_gets_little_room() -> None:
    columns = Columns()

    columns.extend("a", np.arange(1000), np.zeros(1000), np.zeros(1000), more=1 << 50)

    held = columns.series()["a"].steps.base
    assert held is not None
    assert held.nbytes < 100_000


def test_points_without_a_time_have_none_until_one_does() -> None:
    columns = Columns()
    columns.add("a", 1, 0.5, 0.0)
    assert columns.series()["a"].times.tolist() == []

    columns.add("a", 2, 0.5, 1e9)
    assert columns.series()["a"].times.tolist() == [0.0, 1e9]
