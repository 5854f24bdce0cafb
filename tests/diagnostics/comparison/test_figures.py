"""Figures at one step, and how far they are from the baseline's."""

from collections.abc import Callable, Collection
from dataclasses import replace

import numpy as np
import pytest

from diagnostics.comparison.figures import Change, Figure, Reading, figures, last_common_step
from diagnostics.model.run import Run
from diagnostics.model.series import Series

Make = Callable[..., Run]


def starting_at(run: Run, step: int) -> Run:
    """The same run, its first row at this step."""
    moved = {
        name: Series(name, name, series.steps + step - 1, series.values, times=series.times)
        for name, series in run.series.items()
    }
    return replace(run, series=moved)


def figure(name: str, *runs: Run, step: int | None = None, other_scores: Collection[int] = ()) -> Figure:
    at = last_common_step(runs) if step is None else step
    assert at is not None
    found = figures(runs, at, other_scores)
    return next(item for item in found if item.metric == name)


def test_the_last_common_step_is_that_of_the_shortest_run(make_run: Make) -> None:
    assert last_common_step([make_run("grpo", reward="1x9"), make_run("grpo", reward="1x4")]) == 4


def test_runs_that_never_met_have_no_common_step(make_run: Make) -> None:
    late = starting_at(make_run("grpo", reward="1x3"), 100)
    assert last_common_step([make_run("grpo", reward="1x3"), late]) is None


def test_a_change_is_in_the_unit_and_as_a_share_of_the_baseline(make_run: Make) -> None:
    found = figure("reward", make_run("grpo", reward="0.5x4"), make_run("grpo", reward="0.75x4"))
    assert found.readings == (Reading(4, 0.5), Reading(4, 0.75))
    assert found.changes == (None, Change(0.25, 0.5))


@pytest.mark.parametrize(
    ("base", "here", "has_ratio"),
    [
        ("1x3 0.011", "0.5x4", True),
        ("1x3 0.01", "0.5x4", False),  # a hundredth of what it was: nearly 0
        ("0x4", "0.5x4", False),
        ("-0.5x4", "0.5x4", False),
        ("-0.5x4", "-0.25x4", True),
    ],
)
def test_no_ratio_is_formed_with_nearly_nothing_or_across_a_change_of_sign(
    make_run: Make, base: str, here: str, has_ratio: bool
) -> None:
    change = figure("reward", make_run("grpo", reward=base), make_run("grpo", reward=here)).changes[1]
    assert change is not None
    assert (change.relative is not None) is has_ratio


def test_a_share_of_a_negative_baseline_has_the_sign_of_the_change(make_run: Make) -> None:
    found = figure("reward", make_run("grpo", reward="-0.5x4"), make_run("grpo", reward="-0.25x4"))
    assert found.changes[1] == Change(0.25, 0.5)


def test_a_run_that_had_ended_or_not_begun_has_no_reading_there(make_run: Make) -> None:
    runs = (
        make_run("grpo", reward="1x9"),
        make_run("grpo", reward="1x4"),
        starting_at(make_run("grpo", reward="1x9"), 8),
    )
    assert figure("reward", *runs, step=6).readings == (Reading(6, 1.0), None, None)
    assert figure("reward", *runs, step=6).changes == (None, None, None)


def test_a_reading_tells_the_step_at_which_it_was_logged(make_run: Make) -> None:
    run = make_run("grpo", reward="1x9", kl_per_token="0.1x9")
    sparse = replace(run, series={**run.series, "kl_per_token": run.series["kl_per_token"].__class__(
        "kl_per_token", "kl", np.array([1, 5]), np.array([0.1, 0.2])
    )})  # fmt: skip
    assert figure("kl_per_token", run, sparse, step=8).readings[1] == Reading(5, 0.2)


def test_nan_is_a_reading_without_a_change(make_run: Make) -> None:
    found = figure("reward", make_run("grpo", reward="1x4"), make_run("grpo", reward="1x3 nan"))
    assert found.readings[1] is not None
    assert np.isnan(found.readings[1].value)
    assert found.changes[1] is None


def test_a_metric_that_one_run_alone_logs_is_no_figure(make_run: Make) -> None:
    found = figures([make_run("grpo", reward="1x3", kl_per_token="1x3"), make_run("grpo", reward="1x3")], 3)
    assert [item.metric for item in found] == ["reward"]


def test_rewards_of_another_meaning_have_values_and_no_change(make_run: Make) -> None:
    runs = [make_run("grpo", reward=f"{value}x4", kl_per_token=f"{value}x4") for value in (0.5, 0.75, 0.75)]
    assert figure("reward", *runs, other_scores=[2]).changes == (None, Change(0.25, 0.5), None)
    assert figure("kl_per_token", *runs, other_scores=[2]).changes == (None, Change(0.25, 0.5), Change(0.25, 0.5))
