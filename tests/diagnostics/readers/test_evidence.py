"""Tests of evidence: which values prove that two logs are of one training, and which prove nothing."""

import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from diagnostics.model.recording import Recording
from diagnostics.model.series import RawSeries
from diagnostics.readers.evidence import (
    AT_ONE_TIME,
    EXACT,
    FEWEST_NAMES_APART,
    SECONDS_APART,
    are_one_training,
    are_two_trainings,
)

LOSS, REWARD = [0.75, 0.5, 0.375], [0.125, 0.25, 0.625]


def log(began: float | None = None, is_printed: bool = False, **tags: list[float]) -> Recording:
    series = {}
    for name, values in tags.items():
        steps = np.arange(1, len(values) + 1, dtype=np.int64)
        times = np.empty(0) if began is None else began + steps
        series[name] = RawSeries(name, steps, np.array(values), times)
    return Recording(Path("log"), (), "log", "log", series, is_printed=is_printed)


def test_equal_values_at_equal_steps_are_of_one_training() -> None:
    assert are_one_training(log(loss=LOSS, reward=REWARD), log(**{"train/loss": LOSS, "train/reward": REWARD})) is True


def test_other_values_are_of_another_training() -> None:
    assert are_one_training(log(loss=LOSS, reward=REWARD), log(loss=[0.7, 0.6, 0.55], reward=[0.1, 0.2, 0.3])) is False


def test_the_first_steps_alone_are_those_of_every_training_with_the_same_seed() -> None:
    assert are_one_training(log(loss=LOSS[:2], reward=REWARD[:2]), log(loss=LOSS[:2], reward=REWARD[:2])) is None
    others = [LOSS[0], 0.6, 0.55], [REWARD[0], 0.2, 0.3]
    assert are_one_training(log(loss=LOSS, reward=REWARD), log(loss=others[0], reward=others[1])) is False


def test_one_step_that_both_wrote_at_one_moment_is_enough() -> None:
    row = {f"metric/{number}": [number + 0.5] for number in range(8)}
    first = 1.7e9

    assert are_one_training(log(first, **row), log(first + AT_ONE_TIME / 2, **row)) is True
    assert are_one_training(log(first, **row), log(first + AT_ONE_TIME + 1, **row)) is None
    assert are_one_training(log(first, **row), log(**row)) is None
    assert are_one_training(log(first, **row), log(first, **{**row, "metric/0": [9.5]})) is False


def test_a_training_of_which_nothing_but_nan_was_logged_is_known_by_its_moments() -> None:
    broken = {"loss": [math.nan] * 5, "length": [16.0] * 5}

    assert are_one_training(log(1.7e9, **broken), log(1.7e9, **broken)) is True
    assert are_one_training(log(1.7e9, **broken), log(**broken)) is None


def test_printed_rows_at_other_steps_are_known_by_their_order() -> None:
    exact, steps = log(loss=LOSS, reward=REWARD), np.array([10, 20, 30])
    tens = {name: replace(series, steps=steps) for name, series in exact.tags.items()}

    assert are_one_training(replace(exact, tags=tens), replace(exact, is_printed=True)) is True
    assert are_one_training(replace(exact, tags=tens), exact) is None


def test_numbers_that_rounding_hides_prove_nothing() -> None:
    small, other = [0.0001, 0.0003, 0.0002], [0.0004, 0.0001, 0.0003]

    printed = replace(log(is_printed=True, loss=other), rounded_to=0.0005)
    assert are_one_training(log(loss=small), printed) is None


@pytest.mark.parametrize("name", ["learning_rate", "epoch", "train/epoch", "system/gpu.0.temp"])
def test_a_schedule_that_trainings_share_proves_nothing(name: str) -> None:
    assert are_one_training(log(**{name: LOSS}), log(**{name: LOSS})) is None


def test_whole_numbers_prove_nothing() -> None:
    assert are_one_training(log(length=[16.0, 16.0, 16.0, 17.0]), log(length=[16.0, 16.0, 16.0, 17.0])) is None


def test_a_training_that_is_repeated_later_with_the_same_values_is_another() -> None:
    first, again = 1.7e9, 1.7e9 + SECONDS_APART + 1

    assert are_one_training(log(first, loss=LOSS), log(again, loss=LOSS)) is False
    assert are_one_training(log(first, loss=LOSS), log(again - 1, loss=LOSS)) is True
    assert are_one_training(log(first, loss=LOSS), log(loss=LOSS)) is True


def test_printed_numbers_are_compared_to_the_digits_printed() -> None:
    exact = [0.123456, 0.234567, 0.345678]
    shortened = [0.1235, 0.2346, 0.3457]

    assert are_one_training(log(loss=exact), log(loss=shortened)) is False
    assert are_one_training(log(loss=exact), log(is_printed=True, loss=shortened)) is True


def test_the_rounding_of_float32_is_no_difference() -> None:
    assert are_one_training(log(loss=LOSS), log(loss=[value * (1 + EXACT / 2) for value in LOSS])) is True


def test_steps_that_were_logged_twice_are_not_compared() -> None:
    one, two = log(loss=LOSS), log(loss=LOSS)
    twice = RawSeries("loss", np.array([1, 1, 2, 3]), np.array([9.5, 8.5, 0.5, 0.375]))

    assert (
        are_one_training(one, Recording(Path("log"), (), "log", "log", {"loss": twice, "b": two.tags["loss"]})) is None
    )


def rows(shift: float = 0.0, names: int = FEWEST_NAMES_APART, first: int = 1, last: int = 40) -> Recording:
    """A log of so many metrics, each with another curve."""
    steps = np.arange(first, last + 1, dtype=np.int64)
    curves = {f"metric/{number}": np.sin(steps / 7 + number) + 0.01 + shift for number in range(names)}
    tags = {name: RawSeries(name, steps, curve, np.empty(0)) for name, curve in curves.items()}
    return Recording(Path("log"), (), "log", "log", tags)


def joined(one: Recording, two: Recording) -> Recording:
    """A log with the points of both, one after the other."""
    tags = {
        name: RawSeries(
            name,
            np.concatenate([series.steps, two.tags[name].steps]),
            np.concatenate([series.values, two.tags[name].values]),
            np.empty(0),
        )
        for name, series in one.tags.items()
    }
    return replace(one, tags=tags)


def test_logs_of_which_no_value_is_equal_are_of_two_trainings() -> None:
    assert are_two_trainings(rows(), rows(0.5))
    assert not are_two_trainings(rows(), rows())


def test_one_or_two_metrics_that_differ_may_be_means_over_something_else() -> None:
    few = FEWEST_NAMES_APART - 1

    assert not are_two_trainings(rows(names=few), rows(0.5, names=few))
    some = rows(0.5, names=few).tags | {name: rows(names=9).tags[name] for name in ("metric/7", "metric/8")}
    assert not are_two_trainings(rows(names=9), replace(rows(), tags=some))


def test_a_bound_that_both_share_does_not_make_them_one() -> None:
    bound = RawSeries("clip/max", np.arange(1, 41), np.full(40, 0.25), np.empty(0))
    ours, theirs = rows(), rows(0.5)

    with_bounds = [replace(log, tags={**log.tags, "clip/max": bound}) for log in (ours, theirs)]
    assert are_two_trainings(*with_bounds)


def test_shortened_numbers_are_no_difference() -> None:
    short = {
        name: replace(series, values=np.round(series.values, 5) * (1 + 1e-4)) for name, series in rows().tags.items()
    }
    assert not are_two_trainings(rows(), replace(rows(), tags=short))


def test_a_log_that_differs_after_a_resume_is_of_the_same_training() -> None:
    assert not are_two_trainings(rows(), joined(rows(last=5), rows(0.5, first=6)))
    assert not are_two_trainings(rows(last=30), rows(0.5, first=11))  # its first ten steps are in the other alone
    assert are_two_trainings(rows(last=30), rows(0.5, first=1))


def test_two_steps_are_too_few_to_tell_trainings_apart() -> None:
    assert not are_two_trainings(rows(last=2), rows(0.5, last=2))
    assert are_two_trainings(rows(last=3), rows(0.5, last=3))
