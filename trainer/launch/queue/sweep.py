"""The points of a small grid, each with each seed."""

import itertools
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from trainer.launch.error import LaunchError

MOST_POINTS = 500
_NO_PART_OF_A_NAME = re.compile(r"[^\w.+-]+")
_LONGEST_NAME = 120


@dataclass(frozen=True, slots=True)
class Variant:
    """One point: what it changes, and what to call it: `learning_rate-1e-5-seed-2`."""

    changes: Mapping[str, str]

    @property
    def words(self) -> tuple[tuple[str, str], ...]:
        """As arguments: `("--learning_rate", "1e-5"), …`"""
        return tuple((f"--{name}", value) for name, value in self.changes.items())

    @property
    def name(self) -> str:
        """Part of a folder's name."""
        parts = (f"{name}-{value}" for name, value in self.changes.items())
        return _NO_PART_OF_A_NAME.sub("_", "-".join(parts))[:_LONGEST_NAME]


def variants(grid: Mapping[str, Sequence[str]], seeds: Sequence[str]) -> list[Variant]:
    """Every combination of the grid's values, with each seed. Raises LaunchError for none and for too many."""
    axes = {**grid, **({"seed": seeds} if seeds else {})}
    count = 1
    for values in axes.values():
        count *= len(values)
    if not axes or not count:
        raise LaunchError("a sweep needs values: --grid learning_rate=1e-5,1e-4, or --seeds 1,2,3")
    if count > MOST_POINTS:
        raise LaunchError(f"that sweep has {count:,} points, and one may have {MOST_POINTS}; leave some values out")
    return [Variant(dict(zip(axes, point, strict=True))) for point in itertools.product(*axes.values())]
