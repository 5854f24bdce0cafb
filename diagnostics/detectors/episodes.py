"""Episodes: the stretches in which a series is past a limit, with hysteresis."""

from dataclasses import dataclass

import numpy as np

from diagnostics.detectors.arrays import Values
from diagnostics.detectors.rolling import sustained_level

CLEAR_BELOW = 0.8  # an episode goes on while the value is past 0.8 × (or, below a positive limit, 1.25 ×) the limit
CLEAR_FACTOR = 2  # an episode ends after this many times its patience in calm points


@dataclass(frozen=True, slots=True)
class Episode:
    """A stretch of points past a limit, as indices into the series; `still`: it had not ended at the last point."""

    first: int
    last: int
    still: bool

    @property
    def length(self) -> int:
        """Points from the first to the last."""
        return self.last - self.first + 1


def episodes(values: Values, limit: float, patience: int, *, above: bool = True) -> tuple[Episode, ...]:
    """The stretches in which the values reached the limit for at least `patience` known points in a row.

    With hysteresis: an episode ends after 2 × patience known points in a row on the calm side of a relaxed limit, so
    that a series that touches its limit over and over is one episode.
    """
    sign = 1.0 if above else -1.0
    upward, bound = sign * values, sign * limit
    relaxed = bound * CLEAR_BELOW if bound > 0 else bound / CLEAR_BELOW
    opens = np.flatnonzero(sustained_level(upward, patience) >= bound)
    restless = np.flatnonzero(upward >= relaxed)
    calm = np.flatnonzero(sustained_level(upward, CLEAR_FACTOR * patience, above=False) < relaxed)
    found: list[Episode] = []
    end = 0
    while (following := np.searchsorted(opens, end)) < len(opens):
        opened = int(opens[following])
        closed = int(np.searchsorted(calm, opened))
        end = int(calm[closed]) if closed < len(calm) else len(values)
        last = int(restless[np.searchsorted(restless, end) - 1])
        found.append(Episode(opened - patience + 1, last, still=closed == len(calm)))
    return tuple(found)
