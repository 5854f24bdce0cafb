"""The overlay of one metric of several runs: lines told apart without colour, letters, bands, gaps, a ghost."""

import itertools
from typing import Any

import numpy as np
import plotly.graph_objects as go
import pytest

from app.figures.overlay import Line, SeedBand, colour_of, dash_of, overlay
from app.theme import DARK, LIGHT, Palette
from diagnostics.comparison import LETTERS, MOST_RUNS
from diagnostics.comparison.seeds import band
from diagnostics.model.series import Series

LETTER_HEIGHT = 11  # pixels


def series(values: list[float], first: int = 1) -> Series:
    steps = np.arange(first, first + len(values), dtype=np.int64)
    return Series("reward", "reward", steps, np.array(values, dtype=np.float64))


def trace(figure: go.Figure, name: str) -> go.Scatter:
    return next(item for item in figure.data if item.name == name)


def letters(figure: go.Figure) -> dict[str, Any]:
    return {item.text.removeprefix("<b>").removesuffix("</b>"): item for item in figure.layout.annotations}


def test_no_two_runs_look_alike_and_the_first_ones_differ_without_colour() -> None:
    looks = [(dash_of(place), colour_of(place, LIGHT)) for place in range(MOST_RUNS)]
    assert len(set(looks)) == MOST_RUNS
    assert len({dash for dash, _ in looks[:6]}) == 6


def test_each_line_ends_where_its_log_ends_with_its_letter() -> None:
    figure = overlay([Line(0, series([1, 2, 3])), Line(1, series([3, 2], first=5))], LIGHT)
    assert [(item.x, item.y) for item in letters(figure).values()] == [(6, 2.0), (3, 3.0)]
    assert sorted(letters(figure)) == ["A", "B"]


def test_letters_at_one_height_are_moved_apart() -> None:
    figure = overlay([Line(place, series([0, 1])) for place in range(4)], LIGHT)
    shifts = sorted(item.yshift for item in letters(figure).values())
    assert [after - before for before, after in itertools.pairwise(shifts)] == pytest.approx([LETTER_HEIGHT] * 3)


def test_nan_breaks_the_line_and_is_marked_with_the_letter_of_its_run() -> None:
    figure = overlay([Line(0, series([1, 2, 3])), Line(1, series([1, np.nan, 3]))], LIGHT)
    assert np.isnan(trace(figure, "B").y).tolist() == [False, True, False]
    assert trace(figure, "B").connectgaps is False
    marks = trace(figure, "B NaN")
    assert (list(marks.x), list(marks.text)) == ([2], ["B NaN ×1"])
    assert not [item for item in figure.data if item.name == "A NaN"]


def test_marks_of_two_runs_do_not_lie_on_each_other() -> None:
    figure = overlay([Line(place, series([1, np.nan, 3])) for place in (0, 1)], LIGHT)
    assert trace(figure, "A NaN").y[0] != trace(figure, "B NaN").y[0]


def test_a_run_whose_last_value_is_no_number_has_its_letter_at_the_last_one_that_is() -> None:
    figure = overlay([Line(0, series([1, 2, np.nan])), Line(1, series([np.nan]))], LIGHT)
    assert {text: item.x for text, item in letters(figure).items()} == {"A": 2}


def test_a_spike_of_one_step_in_a_long_run_is_drawn() -> None:
    values = np.zeros(100_000)
    values[54_321] = 9.0
    figure = overlay([Line(0, series(list(values))), Line(1, series([0, 1]))], LIGHT)
    drawn = trace(figure, "A")
    assert drawn.y[list(drawn.x).index(54_322)] == 9.0
    assert len(drawn.x) < 2_000


def test_seeds_are_one_band_with_its_members_thin_behind_no_letters_of_their_own() -> None:
    members = [series([1, 2, 3]), series([3, 4, 5, 6])]
    found = band(members)
    assert found is not None
    lines = [Line(place, item, is_member=True) for place, item in enumerate(members)]
    figure = overlay(lines, LIGHT, bands=[SeedBand((0, 1), found)])
    assert list(letters(figure)) == ["AB"]
    assert list(trace(figure, "mean AB").y) == [2, 3, 4]
    assert list(trace(figure, "range AB").y) == [3, 4, 5, 3, 2, 1]
    assert "n = 2" in trace(figure, "mean AB").hovertemplate
    assert list(trace(figure, "B").y) == [3, 4, 5, 6]


def test_a_gap_of_the_band_is_not_filled() -> None:
    members = [series([1, 2, np.nan, 4, 5]), series([3, 4, 5, 6, 7])]
    found = band(members)
    assert found is not None
    figure = overlay([Line(place, item, is_member=True) for place, item in enumerate(members)], LIGHT,
                     bands=[SeedBand((0, 1), found)])  # fmt: skip
    assert [list(item.x) for item in figure.data if item.name == "range AB"] == [[1, 2, 2, 1], [4, 5, 5, 4]]


def test_the_reference_is_grey_and_behind_all_lines() -> None:
    figure = overlay([Line(0, series([1, 2]))], LIGHT, ghost=series([0, 5, 9]))
    assert (figure.data[0].name, figure.data[0].line.color) == ("reference", LIGHT.muted)
    assert list(figure.data[0].x) == [1, 2, 3]


@pytest.mark.parametrize(("palette", "ground"), [(LIGHT, "#FFFFFF"), (DARK, "#14181D")])
def test_letters_can_be_read_in_both_themes(palette: Palette, ground: str) -> None:
    for place in range(len(LETTERS)):
        assert contrast(colour_of(place, palette), ground) >= 4.5


def contrast(one: str, other: str) -> float:
    """The contrast of two colours by WCAG 2."""
    low, high = sorted(map(luminance, (one, other)))
    return (high + 0.05) / (low + 0.05)


def luminance(colour: str) -> float:
    parts = [int(colour[start : start + 2], 16) / 255 for start in (1, 3, 5)]
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return sum(weight * part for weight, part in zip((0.2126, 0.7152, 0.0722), linear, strict=True))
