"""Comparisons: several runs side by side, and a relaunched run beside its parent."""

from diagnostics.comparison.side_by_side import LETTERS, MOST_RUNS, SideBySide, side_by_side
from diagnostics.comparison.since_parent import (
    AVERAGED_STEPS,
    ENOUGH_STEPS,
    Comparison,
    Fate,
    ParentFinding,
    RewardComparison,
    compare,
)

__all__ = [
    "AVERAGED_STEPS",
    "ENOUGH_STEPS",
    "LETTERS",
    "MOST_RUNS",
    "Comparison",
    "Fate",
    "ParentFinding",
    "RewardComparison",
    "SideBySide",
    "compare",
    "side_by_side",
]
