"""A filter as data: terms that must all hold of a run, and the same terms as text."""

import operator
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from diagnostics.model.settings import as_number
from diagnostics.run_filter.facts import RunFacts, values_of

_SPECIAL, _OPERATORS = frozenset('",\\'), frozenset(":=<>")
_ORDERS: Mapping[str, Callable[[float, float], bool]] = {
    ">": operator.gt,
    ">=": operator.ge,
    "<": operator.lt,
    "<=": operator.le,
}
ORDERS = tuple(_ORDERS)


@dataclass(frozen=True, slots=True)
class Term:
    """One condition: a field, an operator and the values of which one must fit; a word to look for has no field."""

    values: tuple[str, ...]
    field: str = ""
    operator: str = ":"
    is_excluded: bool = False

    def holds(self, facts: RunFacts) -> bool:
        """Whether a run fits, or with a minus before the term does not."""
        found = values_of(facts, self.field) if self.field else facts.words
        return any(self._fits(value, wanted) for value in found for wanted in self.values) != self.is_excluded

    def _fits(self, value: str, wanted: str) -> bool:
        number, limit = as_number(value), as_number(wanted)
        if compare := _ORDERS.get(self.operator):
            return number is not None and limit is not None and compare(number, limit)
        if self.field and number is not None and limit is not None:
            return number == limit
        value, wanted = value.casefold(), wanted.casefold()
        return value == wanted if self.operator == "=" else wanted in value

    def __str__(self) -> str:
        name = f"{self.field}{self.operator}" if self.field else ""
        written = ",".join(_quoted(value, is_word=not self.field) for value in self.values)
        return f"{'-' * self.is_excluded}{name}{written}"


def _quoted(value: str, *, is_word: bool) -> str:
    """A value as the parser reads it back."""
    is_plain = value and not _SPECIAL & set(value) and not any(map(str.isspace, value))
    if is_plain and is_word:
        is_plain = not value.startswith("-") and not _OPERATORS & set(value)
    return value if is_plain else '"' + value.replace("\\", r"\\").replace('"', r"\"") + '"'


@dataclass(frozen=True, slots=True)
class Filter:
    """Terms that must all hold. Archived runs and samples match only a filter that asks for them."""

    terms: tuple[Term, ...] = ()

    def matches(self, facts: RunFacts) -> bool:
        """Whether a run is shown."""
        return self.chosen("is").issuperset(facts.marks) and self.holds(facts)

    def holds(self, facts: RunFacts) -> bool:
        """Whether every term holds of a run, be it archived or not."""
        return all(term.holds(facts) for term in self.terms)

    def chosen(self, name: str) -> frozenset[str]:
        """The values of a field of which one is asked for."""
        return frozenset(value for term in self.terms if _is_choice(term, name) for value in term.values)

    def without(self, *names: str) -> "Filter":
        """The filter without what is chosen of these fields."""
        return Filter(tuple(term for term in self.terms if not any(_is_choice(term, name) for name in names)))

    def toggled(self, name: str, value: str) -> "Filter":
        """The filter with a value of a field also asked for, or no longer."""
        chosen = self.chosen(name)
        kept = self.without(name)
        values = tuple(item for item in self._in_order(name) if item != value)
        if value not in chosen:
            values = (*values, value)
        return Filter((*kept.terms, Term(values, name))) if values else kept

    def _in_order(self, name: str) -> tuple[str, ...]:
        return tuple(dict.fromkeys(v for term in self.terms if _is_choice(term, name) for v in term.values))

    def __str__(self) -> str:
        return " ".join(map(str, self.terms))


def _is_choice(term: Term, name: str) -> bool:
    return term.field == name and term.operator == ":" and not term.is_excluded
