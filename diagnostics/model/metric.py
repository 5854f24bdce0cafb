"""One entry of the vocabulary of metrics."""

from dataclasses import dataclass
from typing import Literal

Kind = Literal["scalar", "histogram"]
Section = Literal[
    "reward",
    "kl",
    "update",
    "policy",
    "value",
    "length",
    "engine",
    "staleness",
    "environment",
    "time",
    "memory",
    "progress",
]


@dataclass(frozen=True, slots=True)
class Metric:
    """A metric under its canonical name.

    `healthy` says in a few words what a good curve does; `low` and `high` bound the values that exist at all.
    `to_log` says what to log, in words, where the title alone does not.
    `formula` is what the trainers' code computes; `slip` says where the documents state something else;
    `source` is the page that defines it.
    """

    name: str
    title: str
    unit: str
    meaning: str
    section: Section
    healthy: str = ""
    to_log: str = ""
    formula: str = ""
    slip: str = ""
    low: float | None = None
    high: float | None = None
    kind: Kind = "scalar"
    source: str = "TRL logging page"
