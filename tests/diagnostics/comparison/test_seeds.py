"""Runs that differ in their seed alone become a mean with its range."""

from collections.abc import Callable

import numpy as np

from diagnostics.comparison.seeds import band, seed_groups
from diagnostics.comparison.settings import settings_table
from diagnostics.model.run import Run
from diagnostics.model.series import Series

Make = Callable[..., Run]


def series(steps: list[int], values: list[float]) -> Series:
    return Series("reward", "reward", np.array(steps, dtype=np.int64), np.array(values, dtype=np.float64))


def groups(*runs: Run) -> tuple[tuple[int, ...], ...]:
    return seed_groups(runs, settings_table(runs))


def test_runs_of_one_configuration_and_other_seeds_are_a_group(make_run: Make) -> None:
    runs = [
        make_run("grpo", config={"beta": 0.1, "seed": seed, "output_dir": f"out/{seed}", "run_name": f"s{seed}"})
        for seed in (1, 2, 3)
    ]
    other = make_run("grpo", config={"beta": 0.2, "seed": 4, "output_dir": "out/4", "run_name": "s4"})
    assert groups(*runs[:2], other, runs[2]) == ((0, 1, 3),)


def test_a_repetition_with_the_same_seed_is_no_further_seed(make_run: Make) -> None:
    runs = [make_run("grpo", config={"beta": 0.1, "seed": seed}) for seed in (1, 1, 2)]
    assert groups(*runs) == ((0, 2),)
    assert groups(*runs[:2]) == ()


def test_a_setting_that_only_one_of_them_states_keeps_them_apart(make_run: Make) -> None:
    assert groups(make_run("grpo", config={"seed": 1}), make_run("grpo", config={"seed": 2, "clip": 0.3})) == ()


def test_runs_without_settings_and_of_another_algorithm_stay_alone(make_run: Make) -> None:
    assert groups(make_run("grpo"), make_run("grpo")) == ()
    assert groups(make_run("grpo", config={"seed": 1}), make_run("rloo", config={"seed": 2})) == ()


def test_the_band_is_mean_and_range_where_all_logged() -> None:
    found = band([series([1, 2, 3, 4], [1, 2, 3, 4]), series([2, 3, 4, 5], [4, 5, 6, 7]), series([1, 2, 3], [0, 0, 4])])
    assert found is not None
    assert found.steps.tolist() == [2, 3]
    assert found.mean.tolist() == [2.0, 4.0]
    assert (found.low.tolist(), found.high.tolist()) == ([0.0, 3.0], [4.0, 5.0])


def test_a_value_that_is_no_number_breaks_the_band_and_is_not_averaged_away() -> None:
    found = band([series([1, 2, 3], [1, np.nan, 3]), series([1, 2, 3], [3, 4, np.inf])])
    assert found is not None
    assert np.isnan(found.mean).tolist() == [False, True, True]
    assert np.isnan(found.low).tolist() == [False, True, True]


def test_runs_with_hardly_a_step_in_common_have_no_band() -> None:
    assert band([series([1, 3, 5], [1, 2, 3]), series([2, 4, 5], [1, 2, 3])]) is None
