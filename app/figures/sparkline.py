"""A series as the few strokes that a table cell has room for."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from diagnostics.curves.downsample import downsample
from diagnostics.language import N_
from diagnostics.model.series import Series, Values

_COLUMNS = 40  # of a cell some 110 pixels wide
WIDTH, HEIGHT = 1000, 100
_FEWEST = 3  # numbers that make a curve

Points = tuple[tuple[int, int], ...]
Integers = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Sparkline:
    """Lines of points (x from 0 to WIDTH, y from 0 to HEIGHT and upwards), broken wherever no number was logged.

    `marks` are the places of NaN and ±Inf along x; `missing` says in English why there is no line.
    """

    lines: tuple[Points, ...] = ()
    marks: tuple[int, ...] = ()
    missing: str = ""


def sparkline(series: Series | None) -> Sparkline:
    """The strokes of a series: its extremes in every column, and a mark wherever it is not finite."""
    if series is None or not len(series):
        return Sparkline(missing=N_("not logged"))
    places = _places(len(series))
    marks = tuple(int(x) for x in np.unique(places[~series.finite] * _COLUMNS // WIDTH) * (WIDTH // _COLUMNS))
    numbers = int(series.finite.sum())
    if numbers < _FEWEST:
        return Sparkline(marks=marks, missing=N_("too few points") if numbers else N_("no finite value"))
    drawn = np.flatnonzero(series.finite)[downsample(series.values[series.finite], _COLUMNS)]
    gaps = np.diff(np.cumsum(~series.finite)[drawn]) >= max(1, len(series) // _COLUMNS)
    return Sparkline(_lines(places[drawn], _heights(series.values[drawn]), np.flatnonzero(gaps) + 1), marks)


def _places(count: int) -> Integers:
    return np.linspace(0, WIDTH, count).astype(np.int64)


def _heights(numbers: Values) -> Integers:
    lowest, highest = numbers.min() / 2, numbers.max() / 2  # halves, since the span may be more than a float holds
    shares = (numbers / 2 - lowest) / (highest - lowest) if highest > lowest else np.full(len(numbers), 0.5)
    heights: Integers = np.rint(HEIGHT * shares).astype(np.int64)
    return heights


def _lines(places: Integers, heights: Integers, gaps: npt.NDArray[np.intp]) -> tuple[Points, ...]:
    """The points between two gaps, each stretch a line of its own."""
    stretches = zip(np.split(places, gaps), np.split(heights, gaps), strict=True)
    return tuple(tuple(zip(xs.tolist(), ys.tolist(), strict=True)) for xs, ys in stretches)
