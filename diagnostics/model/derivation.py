"""Derivations: how a series that no tag holds was computed from what a log does hold."""

from dataclasses import dataclass
from typing import Literal

Precision = Literal["exact", "estimate", "upper bound", "lower bound"]


@dataclass(frozen=True, slots=True)
class Derivation:
    """`sources` are what the producer calls the inputs; `formula` says how, in canonical names.

    An upper bound is 0 only where the metric is, and a finding that it stayed below a limit holds for the metric too. A
    finding that a lower bound stayed above one holds as well.
    """

    sources: tuple[str, ...]
    formula: str
    precision: Precision
