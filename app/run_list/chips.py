"""The chips above the list: how many runs have each verdict and each state, and which of these are asked for."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain

from app.run_list.entry import Entry
from app.run_list.order import STATE_ORDER
from app.theme import STATES, VERDICTS, Sign
from diagnostics.language import N_
from diagnostics.run_filter.facts import MARKS
from diagnostics.run_filter.filter import Filter

_FACETS = ("verdict", "state", "is")
_MARK_WORDS = {"archived": N_("archived"), "sample": N_("samples")}


@dataclass(frozen=True, slots=True)
class Chip:
    """One value of a field, with the number of runs that have it among those that fit the rest of the filter."""

    field: str
    value: str
    sign: Sign
    count: int
    is_on: bool


def chips(entries: Sequence[Entry], chosen: Filter) -> list[Chip]:
    """Every verdict, state and mark that some run has or that is asked for."""
    return [*_of(entries, chosen, "verdict"), *_of(entries, chosen, "state"), *_of(entries, chosen, "is")]


def everything(chosen: Filter) -> Filter:
    """The filter without what the chips chose."""
    return chosen.without(*_FACETS)


def _of(entries: Sequence[Entry], chosen: Filter, field: str) -> Iterator[Chip]:
    rest, asked = chosen.without(field), chosen.chosen(field)
    fits = rest.holds if field == "is" else rest.matches
    values = {entry.path: _values(entry, field) for entry in entries}
    counts = Counter(value for entry in entries if fits(entry.facts) for value in values[entry.path])
    known = set(chain.from_iterable(values.values()))
    for value, sign in _SIGNS[field].items():
        if value in known or value in asked:
            yield Chip(field, value, sign, counts[value], value in asked)


def _values(entry: Entry, field: str) -> tuple[str, ...]:
    if field == "is":
        return entry.facts.marks
    return (entry.verdict if field == "verdict" else entry.facts.state,)


_SIGNS = {
    "verdict": VERDICTS,
    "state": {state: STATES[state] for state in STATE_ORDER},
    "is": {mark: Sign("", _MARK_WORDS[mark], "gray") for mark in MARKS},
}
