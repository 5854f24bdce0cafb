"""The order of the list: by severity and then by time, or by one column."""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from app.run_list.entry import Entry
from app.theme import VERDICTS

_SEVERITY = {verdict: rank for rank, verdict in enumerate(VERDICTS)}
STATE_ORDER = ("running", "starting", "queued", "failed", "died", "silent", "stopped", "finished", "unknown")
_STATE = {state: rank for rank, state in enumerate(STATE_ORDER)}
_DESCENDING = "-"


def _number(value: float | None) -> float | None:
    """A number by which the largest comes first; None, which comes last, for what is none."""
    return -value if value is not None and math.isfinite(value) else None


_KEYS: Mapping[str, Callable[[Entry], Any]] = {
    "verdict": lambda entry: _SEVERITY.get(entry.verdict),
    "run": lambda entry: entry.name.casefold(),
    "last": lambda entry: _number(entry.summary.last if entry.summary else None),
    "state": lambda entry: _STATE.get(entry.facts.state),
    "cost": lambda entry: _number(entry.summary.cost if entry.summary else None),
    "algorithm": lambda entry: (entry.facts.algorithm, entry.facts.producer) if entry.summary else None,
    "written": lambda entry: _number(entry.newest),
}
COLUMNS = tuple(_KEYS)
"""The columns that sort."""


@dataclass(frozen=True, slots=True)
class Order:
    """A column, in the direction that it is usually wanted in or reversed: `cost` is the most expensive first."""

    column: str = "verdict"
    is_reversed: bool = False

    @classmethod
    def parse(cls, text: str) -> "Order":
        """The order that an address names, as "cost" or "-cost"; the usual one where it names none."""
        column = text.removeprefix(_DESCENDING)
        return cls(column, text.startswith(_DESCENDING)) if column in _KEYS else cls()

    def __str__(self) -> str:
        return f"{_DESCENDING * self.is_reversed}{self.column}"

    def by(self, column: str) -> "Order":
        """The order after a click on the head of a column."""
        return Order(column, column == self.column and not self.is_reversed)

    def sorted(self, entries: Iterable[Entry]) -> list[Entry]:
        """The entries in this order, the newest of equals first; what has no value comes last, reversed or not."""
        key = _KEYS[self.column]
        newest_first = sorted(entries, key=lambda entry: -entry.newest)
        known = [entry for entry in newest_first if key(entry) is not None]
        unknown = [entry for entry in newest_first if key(entry) is None]
        return [*sorted(known, key=key, reverse=self.is_reversed), *unknown]


def first_of_severity(entries: Sequence[Entry]) -> list[bool]:
    """For each entry whether its verdict is another than that of the entry before."""
    verdicts = [entry.verdict for entry in entries]
    return [index > 0 and verdict != verdicts[index - 1] for index, verdict in enumerate(verdicts)]
