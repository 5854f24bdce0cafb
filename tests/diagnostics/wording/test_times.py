"""Spans of time."""

import pytest

from diagnostics.wording.times import age, duration


@pytest.mark.parametrize(
    ("seconds", "words"),
    [
        (-1, "0 s"), (40, "40 s"), (59, "59 s"), (60, "1 min"), (720, "12 min"), (7200, "2 h"), (10800, "3 h"),
        (172800, "2 days"), (432000, "5 days"),
    ],
)  # fmt: skip
def test_a_duration_has_the_largest_fitting_unit(seconds: float, words: str) -> None:
    assert duration(seconds) == words


def test_an_unknown_moment_has_no_age() -> None:
    assert [age(40.0, now=100.0), age(None, now=100.0)] == ["1 min ago", ""]
