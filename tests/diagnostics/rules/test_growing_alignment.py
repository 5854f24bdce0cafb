"""Series side by side that grow: they are aligned as if they had been read at once."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from diagnostics.detectors.growing import Memory, settled
from diagnostics.detectors.rolling import trend
from diagnostics.detectors.running import finite_range, place_of_farthest
from diagnostics.model.series import Series, Values
from diagnostics.rules.alignment import at_common_steps, last_known, within


def series(steps: list[int], until: int | None = None) -> Series:
    kept = [step for step in steps if until is None or step <= until]
    return Series("a", "a", np.array(kept, dtype=np.int64), np.array(kept, dtype=np.float64) / 7)


STEPS = st.sets(st.integers(1, 40), min_size=1).map(sorted)


@settings(max_examples=60, deadline=None)
@given(STEPS, STEPS, st.sets(st.integers(1, 40)))
def test_series_that_grow_are_aligned_as_if_read_at_once(one: list[int], other: list[int], looks: set[int]) -> None:
    memory = Memory()
    for until in (*sorted(looks), None):
        with memory.of_rule("any"):
            grown = at_common_steps(series(one, until), series(other, until))
            known = last_known(series(one, until), series(other, until).steps)
        anew = at_common_steps(series(one, until), series(other, until))
        for left, right in zip(grown, anew, strict=True):
            np.testing.assert_array_equal(left.steps, right.steps)
            np.testing.assert_array_equal(left.values, right.values)
        np.testing.assert_array_equal(known, last_known(series(one, until), series(other, until).steps))


def test_a_point_that_comes_late_changes_what_was_last_known() -> None:
    memory, steps = Memory(), np.array([1, 2, 3])
    said = []
    for known in ([1], [1, 3]):
        with memory.of_rule("any"):
            said.append(last_known(series(known), steps).tolist())
    assert said == [[1 / 7, 1 / 7, 1 / 7], [1 / 7, 1 / 7, 3 / 7]]


def test_the_values_between_two_steps_are_those_of_both_and_all_between() -> None:
    assert within(series([1, 4, 6, 9]), 4, 6).tolist() == [4 / 7, 6 / 7]


@settings(max_examples=40, deadline=None)
@given(st.lists(st.sampled_from([0.0, 1.0, -2.0, np.nan, np.inf]), min_size=1), st.booleans(), st.integers(1, 30))
def test_the_place_and_the_range_of_what_grows_are_those_of_the_whole(
    values: list[float], highest: bool, first: int
) -> None:
    whole, memory = np.array([0.5, *values]), Memory()
    for part in (whole[:first].copy(), whole.copy()):
        with memory.of_rule("any"):
            found = place_of_farthest(part, highest=highest), finite_range(part)
        assert found == (place_of_farthest(part, highest=highest), finite_range(part))
    expected = int(np.nanargmax(whole) if highest else np.nanargmin(whole))
    assert found[0] == expected


@pytest.mark.parametrize("points", [0, 1, 127, 128, 1000, 99_999, 100_000])
def test_a_settled_number_of_points_is_one_in_64_less_at_most(points: int) -> None:
    assert points - points / 64 <= settled(points) <= points
    assert settled(points) == points or points >= 128


def test_what_a_rule_no_longer_asks_for_is_let_go() -> None:
    memory = Memory()
    for limit in range(50):
        with memory.of_rule("any"):
            memory.answers(("detector", limit), (np.arange(5.0),), lambda inputs, known, state: (inputs[0], None))
    assert len(memory._kept) == 1


def test_the_trend_of_a_long_run_is_that_of_means_of_neighbours() -> None:
    steps = np.arange(20_000)
    noise: Values = np.random.default_rng(0).normal(size=20_000)
    rising, level = trend(steps, 1e-4 * steps + noise), trend(steps, noise)
    assert rising is not None
    assert level is not None
    assert rising.slope == pytest.approx(1e-4, rel=0.05)
    assert rising.p < 1e-6
    assert level.p > 0.01
