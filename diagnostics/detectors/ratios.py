"""Ratios of measured amounts, which say nothing where one of the two is unknown."""

import numpy as np

from diagnostics.detectors.arrays import Values


def ratios(part: Values, whole: Values) -> Values:
    """(N,) Each part over its whole; NaN where either is NaN or ±Inf, or the whole is not above 0."""
    is_known = np.isfinite(part) & np.isfinite(whole) & (whole > 0)
    return np.asarray(np.divide(part, whole, out=np.full(len(part), np.nan), where=is_known))
