"""Tests of growing columns: returned arrays never change, and an announced number of points is not trusted."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

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


def test_tags_that_are_logged_together_share_the_memory_of_their_steps_and_times() -> None:
    columns = Columns()
    for step in range(1, 101):
        for tag in "abc":
            columns.add(tag, step, step / 7, 1e9 + step)
        if step % 10 == 0:
            columns.add("eval/a", step, 0.5, 1e9 + step)
            columns.add("eval/b", step, 0.5, 1e9 + step)
        columns.series()

    series = columns.series()
    for first, others in (("a", ["b", "c"]), ("eval/a", ["eval/b"])):
        for other in others:
            assert np.shares_memory(series[first].steps, series[other].steps)
            assert np.shares_memory(series[first].times, series[other].times)
    assert not np.shares_memory(series["a"].values, series["b"].values)


POINTS = st.tuples(st.sampled_from("abc"), st.integers(0, 2), st.sampled_from([0.0, 1.0, np.nan]))


@given(st.lists(st.lists(POINTS, max_size=12), max_size=12), st.booleans())
def test_each_tag_has_its_own_points_whatever_it_shares(
    batches: list[list[tuple[str, int, float]]], at_once: bool
) -> None:
    columns, expected, handed_out = Columns(), {tag: ([], []) for tag in "abc"}, []
    for batch in batches:
        for tag in "abc" if at_once else ():
            found = [(step, time) for name, step, time in batch if name == tag]
            steps, times = np.array([step for step, _ in found], np.int64), np.array([time for _, time in found])
            columns.extend(tag, steps, np.zeros(len(found)), times)
        for tag, step, time in batch:
            if not at_once:
                columns.add(tag, step, 0.0, time)
            expected[tag][0].append(step)
            expected[tag][1].append(time)
        for tag, series in columns.series().items():
            handed_out.append((series, *map(list, expected[tag])))
    for series, steps, times in handed_out:
        assert series.steps.tolist() == steps
        assert np.array_equal(series.times, times, equal_nan=True) or not (len(series.times) or any(times))
