"""The median of all points of a growing series: exact, and found from the new points and what is known of the rest."""

import math

import numpy as np

from diagnostics.detectors.growing import found_once, summed_up
from diagnostics.model.series import Values

MOST_NEW = 1024  # points that wait to be sorted in among the others, which takes a pass over all of them


@found_once
def finite_median(values: Values) -> float:
    """The median of all finite values; NaN where there is none."""
    return summed_up("finite_median", values, _more_of_order).median


class _Order:
    """Finite values in order, and new ones not yet among them; nothing is sorted before the second look."""

    __slots__ = ("_is_sorted", "_new", "_old", "median")

    def __init__(self, finite: Values) -> None:
        self._old, self._new, self._is_sorted = finite, finite[:0], False
        self.median = float(np.median(finite)) if len(finite) else math.nan

    def add(self, finite: Values) -> None:
        """Take in more values."""
        if not self._is_sorted:
            self._old, self._is_sorted = np.sort(self._old), True
        self._new = np.sort(np.concatenate([self._new, finite]))
        if len(self._new) > MOST_NEW:
            self._old, self._new = np.sort(np.concatenate([self._old, self._new])), self._new[:0]
        last = len(self._old) + len(self._new) - 1
        self.median = (self._ranked(last // 2) + self._ranked((last + 1) // 2)) / 2

    def _ranked(self, rank: int) -> float:
        """The value that has so many below it."""
        ranks = np.searchsorted(self._old, self._new) + np.arange(len(self._new))
        before = int(np.searchsorted(ranks, rank))
        is_new = before < len(ranks) and ranks[before] == rank
        return float(self._new[before] if is_new else self._old[rank - before])


def _more_of_order(values: Values, known: int, order: _Order | None) -> _Order:
    more = values[known:]
    finite = more[np.isfinite(more)]
    if order is None:
        return _Order(finite)
    if len(finite):
        order.add(finite)
    return order
