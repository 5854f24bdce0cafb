"""Tests of growing arrays: returned arrays never change, and an array that extends another is recognised as such."""

import numpy as np
import pytest

from diagnostics.readers.growing_array import Growing, extends

NAN = float("nan")


def test_what_was_handed_out_never_changes() -> None:
    growing = Growing(np.array([1.0, NAN]))
    views = [growing.view()]
    for number in range(200):
        growing.append(np.array([float(number)]))
        views.append(growing.view())

    assert [2 + count for count in range(201)] == [len(view) for view in views]
    assert all(np.array_equal([1.0, NAN, *range(200)][: len(view)], view, equal_nan=True) for view in views)
    with pytest.raises(ValueError, match="read-only"):
        views[-1][0] = 2.0


def test_the_memory_it_began_with_is_not_written_to() -> None:
    memory = np.arange(10)
    growing = Growing(memory[:5])
    growing.append(np.array([99]))

    assert growing.view().tolist() == [0, 1, 2, 3, 4, 99]
    assert memory.tolist() == list(range(10))


def test_most_of_the_time_nothing_is_copied() -> None:
    growing = Growing(np.arange(1000.0))
    places = set()
    for number in range(1000):
        growing.append(np.array([float(number)]))
        places.add(growing.view().ctypes.data)

    assert len(places) <= 4


@pytest.mark.parametrize(
    ("new", "old", "expected"),
    [
        ([1.0, 2.0, 3.0], [1.0, 2.0], True),
        ([1.0, 2.0], [1.0, 2.0], True),
        ([1.0, 2.0], [], True),
        ([1.0, NAN, 3.0], [1.0, NAN], True),
        ([1.0, 2.5, 3.0], [1.0, 2.0], False),
        ([1.0], [1.0, 2.0], False),
        ([0.0, 1.0], [-0.0], False),
    ],
)
def test_an_array_goes_on_from_another_one_where_its_first_numbers_are_the_same_bits(
    new: list[float], old: list[float], expected: bool
) -> None:
    assert extends(np.array(new), np.array(old)) is expected


def test_a_window_of_the_same_memory_does_not_go_on_from_its_beginning() -> None:
    memory = np.arange(10)

    assert extends(memory, memory[:5])
    assert not extends(memory[1:], memory[:5])
    assert not extends(memory[::2], memory[:3])
