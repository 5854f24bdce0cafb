"""Smoothing of a curve: the mean of the points up to each one, never across a value that is no number."""

import numpy as np

from diagnostics.model.series import Values


def trailing_mean(values: Values, most: int) -> Values:
    """The mean of each point and up to `most` − 1 before it: (N,) → (N,), not finite where `values` is not.

    A non-finite value ends what went before it: the mean begins anew with the next number.
    """
    numbers = np.where(np.isfinite(values), values, 0.0)
    begins = _begin_of_unbroken(values)
    sums, counts = numbers.copy(), np.ones(len(values))
    for back in range(1, min(most, len(values))):
        belongs = np.arange(back, len(values)) - back >= begins[back:]
        sums[back:] += np.where(belongs, numbers[:-back], 0.0)
        counts[back:] += belongs
    return np.where(np.isfinite(values), sums / counts, values)


def _begin_of_unbroken(values: Values) -> Values:
    """For each point the index at which the numbers without a break before it begin."""
    places = np.arange(len(values))
    after_break = np.where(np.isfinite(values), 0, places + 1)
    return np.maximum.accumulate(after_break) if len(values) else after_break
