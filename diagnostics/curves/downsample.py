"""Downsampling that keeps the evidence: extremes, the edges of every gap, and every infinity."""

import numpy as np
import numpy.typing as npt

from diagnostics.model.series import Values

Indices = npt.NDArray[np.int64]

COLUMNS = 600  # the most pixels that a chart is wide; two points per column draw the same line as all points


def downsample(values: Values, columns: int = COLUMNS) -> Indices:
    """Which points to draw: (K,) increasing indices into `values` (N,).

    Everything up to 2·columns points. Beyond that, of each of `columns` equal stretches the smallest and the largest
    number, and in any case the first and the last point, both ends of every run of NaN with the points beside them, and
    every ±Inf. So K is at most 2·columns + 2 + 4·(runs of NaN) + (infinities).
    """
    if len(values) <= 2 * columns:
        return np.arange(len(values), dtype=np.int64)
    extremes = _extremes(values, columns)
    ends = np.array([0, len(values) - 1], dtype=np.int64)
    return np.unique(np.concatenate([extremes, ends, _nan_edges(values), np.flatnonzero(np.isinf(values))]))


def _extremes(values: Values, columns: int) -> Indices:
    """The indices of the smallest and the largest number of each stretch that has one."""
    width = -(-len(values) // columns)
    padded = np.full(width * columns, np.nan)
    padded[: len(values)] = values
    table = padded.reshape(columns, width)
    finite = np.isfinite(table)
    has_number = finite.any(axis=1)
    lowest = np.where(finite, table, np.inf).argmin(axis=1)
    highest = np.where(finite, table, -np.inf).argmax(axis=1)
    starts = np.arange(columns, dtype=np.int64) * width
    return np.concatenate([(starts + lowest)[has_number], (starts + highest)[has_number]])


def _nan_edges(values: Values) -> Indices:
    """The first and the last index of every run of NaN, and the points beside them, which keep two runs apart."""
    padded = np.concatenate([[False], np.isnan(values), [False]])
    change = np.flatnonzero(padded[1:] != padded[:-1])
    firsts, lasts = change[::2], change[1::2] - 1
    edges = np.concatenate([firsts - 1, firsts, lasts, lasts + 1])
    return edges[(edges >= 0) & (edges < len(values))]
