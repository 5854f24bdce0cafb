"""The points of a curve in a window: as many as its pixel columns can show, and every logged one once they fit."""

import numpy as np
import numpy.typing as npt

from diagnostics.model.series import Values

Indices = npt.NDArray[np.int64]
Mask = npt.NDArray[np.bool_]

PER_COLUMN = 4  # points of a column that draw the same line as all of them: first, smallest, largest, last


def points_in_window(places: Values, values: Values, first: float, last: float, columns: int) -> Indices:
    """Which points to draw from `first` to `last`: (K,) increasing indices into `places` (N,) and `values` (N,).

    `places` never decreases. All points of the window where it holds at most 4·columns of them. Beyond that, of each of
    its `columns` equal stretches the first and the last point, the first, the last, the smallest and the largest
    number, the first and the last NaN, and the first ∞ and −∞: a line through them covers the pixels that a line
    through all points covers, breaks where that one breaks, and no kind of non-finite value is missing where it was
    logged. Also the points next to the window on either side, so that the line goes on to its edges. K is at most
    10·columns + 2.
    """
    start, stop = (int(place) for place in (np.searchsorted(places, first), np.searchsorted(places, last, "right")))
    if stop - start <= PER_COLUMN * columns:
        return np.arange(max(start - 1, 0), min(stop + 1, len(places)), dtype=np.int64)
    span = last - first or 1.0  # all of them in one place
    column = ((places[start:stop] - first) * columns / span).astype(np.int64)
    chosen = start + _of_each_column(values[start:stop], np.minimum(column, columns - 1))
    beside = [index for index in (start - 1, stop) if 0 <= index < len(places)]
    return np.union1d(chosen, np.array(beside, dtype=np.int64))


def _of_each_column(values: Values, column: Indices) -> Indices:
    """The indices of the points that tell of each column; `column` (N,) never decreases."""
    every, finite = np.ones(len(values), dtype=np.bool_), np.isfinite(values)
    starts = _first(every, column)
    counts = np.diff(starts, append=len(values))
    lowest = np.repeat(np.minimum.reduceat(np.where(finite, values, np.inf), starts), counts)
    highest = np.repeat(np.maximum.reduceat(np.where(finite, values, -np.inf), starts), counts)
    first_of = (finite, finite & (values == lowest), finite & (values == highest), np.isnan(values))
    infinite = (np.isposinf(values), np.isneginf(values))
    firsts = [_first(mask, column) for mask in (*first_of, *infinite)]
    lasts = [_last(mask, column) for mask in (every, finite, np.isnan(values))]
    return np.unique(np.concatenate([starts, *firsts, *lasts]))


def _first(mask: Mask, column: Indices) -> Indices:
    """The first index of each column at which the mask is True."""
    indices: Indices = np.flatnonzero(mask)
    is_first: Mask = np.diff(column[indices], prepend=-1) != 0
    return indices[is_first]


def _last(mask: Mask, column: Indices) -> Indices:
    """The last index of each column at which the mask is True."""
    indices: Indices = np.flatnonzero(mask)
    is_last: Mask = np.diff(column[indices], append=np.iinfo(np.int64).max) != 0
    return indices[is_last]
