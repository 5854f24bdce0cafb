"""Tests of restarts: what a writer withdraws disappears, what it rewrites stays, however often the log is refreshed."""

from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from diagnostics.readers.columns import Columns
from diagnostics.readers.tensorboard.restarts import Restart, Restarts

writes = st.one_of(st.integers(0, 12), st.builds(Restart, st.integers(0, 12), st.none()))


def points(columns: Columns, restarts: Restarts) -> list[tuple[int, float, float]]:
    left = restarts.remaining_series(columns.series())["kl"]
    return list(zip(left.steps.tolist(), left.values.tolist(), left.times.tolist(), strict=True))


def written(columns: Columns, *steps: int) -> None:
    for step in steps:
        count = float(columns.sizes.get("kl", 0))
        columns.add("kl", step, count, count + 1)


def test_a_second_restart_withdraws_nothing_that_was_written_after_it() -> None:
    columns, restarts = Columns(), Restarts()
    written(columns, *range(1, 101))
    restarts.add(Restart(51, columns.sizes))
    written(columns, 60)
    restarts.add(Restart(51, columns.sizes))
    written(columns, 60, 70, 80)

    steps = [step for step, _, _ in points(columns, restarts)]

    assert [*range(1, 51), 60, 70, 80, 60, 60, 70, 80] == steps


@given(st.lists(writes, min_size=1, max_size=30))
@settings(max_examples=200, deadline=None)
def test_a_log_that_is_looked_at_again_holds_what_a_first_look_finds(script: list[Any]) -> None:
    columns, restarts, found = Columns(), Restarts(), list[Restart]()
    written(columns, 0)
    for write in script:
        if isinstance(write, Restart):
            found.append(Restart(write.step, columns.sizes))
            restarts.add(found[-1])
        else:
            written(columns, write)
        first = Restarts()
        for restart in found:
            first.add(restart)
        assert points(columns, first) == points(columns, restarts)


def test_points_without_a_time_are_withdrawn_like_others_and_may_get_one_later() -> None:
    columns, restarts = Columns(), Restarts()
    for step in range(1, 5):
        columns.add("kl", step, 0.5, 0.0)
    restarts.add(Restart(3, columns.sizes))
    left = restarts.remaining_series(columns.series())["kl"]
    assert (left.steps.tolist(), left.times.tolist()) == ([1, 2], [])

    columns.add("kl", 5, 0.5, 1e9)
    left = restarts.remaining_series(columns.series())["kl"]
    assert (left.steps.tolist(), left.times.tolist()) == ([1, 2, 5], [0.0, 0.0, 1e9])
