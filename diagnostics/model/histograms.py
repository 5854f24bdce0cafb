"""Histograms over the steps of a run: the distribution of one metric, step by step."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
_MOST = 2**53  # values that a count may stand for


@dataclass(frozen=True, slots=True)
class Histogram:
    """How many values lay between two edges at one step, and how many were not finite.

    edges (N + 1,) float64, never decreasing · counts (N,) float64; both empty where no value was finite.
    """

    edges: Floats
    counts: Floats
    nan: int = 0
    inf: int = 0
    minus_inf: int = 0

    @classmethod
    def of(cls, edges: Sequence[float] | Floats, counts: Sequence[float] | Floats, **others: int) -> Self:
        """A histogram from a log. Raises ValueError where the edges and counts are invalid."""
        try:
            found, held = np.asarray(edges, dtype=np.float64), np.asarray(counts, dtype=np.float64)
        except OverflowError:
            raise ValueError("an edge or a count is beyond the range of numbers") from None
        if len(found) != len(held) + bool(len(held)):
            raise ValueError(f"{len(found)} edges for {len(held)} counts")
        if not (np.isfinite(found).all() and np.isfinite(held).all()):
            raise ValueError("an edge or a count is no finite number")
        if (found[1:] < found[:-1]).any() or (held < 0).any():
            raise ValueError("the edges decrease, or a count is below 0")
        return cls(found, held, **others)

    @classmethod
    def of_row(cls, row: Mapping[str, Any]) -> Self:
        """A histogram from our run log. Raises ValueError, TypeError or KeyError where the row is invalid."""
        others = {"nan": row.get("nan", 0), "inf": row.get("inf", 0), "minus_inf": row.get("-inf", 0)}
        if not all(0 <= count <= _MOST for count in others.values()):
            raise ValueError("a count of what is not finite is below 0 or beyond the range of numbers")
        return cls.of(row["edges"], row["counts"], **{name: int(count) for name, count in others.items()})

    @property
    def not_finite(self) -> int:
        """How many values were NaN or infinite."""
        return self.nan + self.inf + self.minus_inf

    def quantiles(self, shares: Sequence[float]) -> Floats:
        """The quantiles at these shares (0 to 1), interpolated within bins; NaN where the histogram is empty."""
        if not self.counts.sum():
            return np.full(len(shares), np.nan)
        filled = self.counts > 0  # an empty bin is a jump: both of its ends are quantiles of the same share
        below = np.concatenate([[0.0], np.cumsum(self.counts[filled])])
        low, high = self.edges[:-1][filled], self.edges[1:][filled]
        wanted = np.asarray(shares) * below[-1]
        place = np.clip(np.searchsorted(below, wanted, side="left") - 1, 0, len(low) - 1)
        within = (wanted - below[place]) / self.counts[filled][place]
        return np.asarray(low[place] + within * (high[place] - low[place]), dtype=np.float64)


@dataclass(frozen=True, slots=True)
class Histograms:
    """The histograms of one metric; `steps` (N,) int64, in a run strictly increasing, in a file in its order.

    `name` is the canonical name or, for an unmapped tag, the tag; `tag` is what the producer calls it.
    """

    name: str
    tag: str
    steps: npt.NDArray[np.int64]
    bins: tuple[Histogram, ...]

    def __len__(self) -> int:
        return len(self.steps)

    def last_of_each_step(self, name: str, tag: str) -> "Histograms":
        """Sorted by step and renamed; of several at one step the last one written counts."""
        if (self.steps[1:] > self.steps[:-1]).all():
            return Histograms(name, tag, self.steps, self.bins)
        newest = dict(zip(self.steps.tolist(), self.bins, strict=True))
        steps = sorted(newest)
        return Histograms(name, tag, np.array(steps, dtype=np.int64), tuple(newest[step] for step in steps))
