"""The index of the catalogue: every metric, rule, settings check and cause in a line, chapter by chapter."""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from typing import Any

from diagnostics.causes import CATALOG as CAUSES
from diagnostics.language import N_, _, current_language, language
from diagnostics.model.vocabulary import METRICS
from diagnostics.rules import CONFIG_RULES, RUN_RULES, SAMPLE_RULES
from diagnostics.rules.rule import Rule


@dataclass(frozen=True, slots=True)
class Line:
    """One entry: its name, a title for people where it has one, and one sentence."""

    name: str
    sentence: str
    title: str = ""

    def matches(self, words: Iterable[str]) -> bool:
        """Whether every word, in lower case, occurs in it."""
        text = f"{self.name} {self.title} {self.sentence}".lower()
        return all(word in text for word in words)


def chapters() -> dict[str, tuple[Line, ...]]:
    """Chapter → its entries in the current language, in the order of the vocabulary, of the codes and of the causes."""
    return _chapters(current_language())


@cache
def _chapters(code: str) -> dict[str, tuple[Line, ...]]:
    with language(code):
        return {
            N_("Metrics"): tuple(Line(entry.name, _(entry.meaning), _(entry.title)) for entry in METRICS),
            N_("Rules"): tuple(map(_rule_line, (*RUN_RULES, *SAMPLE_RULES))),
            N_("Settings checks"): tuple(map(_rule_line, CONFIG_RULES)),
            N_("Causes"): tuple(Line(entry.name, _(entry.meaning), _(entry.summary)) for entry in CAUSES),
        }


def _rule_line(rule: Rule[Any, Any]) -> Line:
    return Line(rule.name, _(rule.summary), rule.code)
