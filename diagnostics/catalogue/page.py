"""One entry of the catalogue, ready to be shown in any form."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from diagnostics.punctuation import listed


@dataclass(frozen=True, slots=True)
class Page:
    """An entry: its name and kind, one sentence, short facts by label, longer sections by heading.

    A list of names fills one line, a list of phrases one line each; empty facts are left out.
    """

    name: str
    kind: str
    sentence: str
    facts: Mapping[str, str | Sequence[str]] = field(default_factory=dict)
    sections: Mapping[str, str] = field(default_factory=dict)

    def lines(self) -> dict[str, Sequence[str]]:
        """The facts that are not empty: label → its lines."""
        return {label: _lines(fact) for label, fact in self.facts.items() if fact}


def _lines(fact: str | Sequence[str]) -> Sequence[str]:
    if isinstance(fact, str):
        return [fact]
    return fact if any(" " in item or not item.isascii() for item in fact) else [listed(fact)]
