"""The messages of rules, causes and remedies: one table for each language."""

from collections.abc import Mapping

from diagnostics.causes.catalog import TEXTS as CAUSE_TEXTS
from diagnostics.causes.remedies.catalog import TEXTS as REMEDY_TEXTS
from diagnostics.last_words import TEXTS as LAST_WORD_TEXTS
from diagnostics.rules import TEXTS as RULE_TEXTS

_ENGLISH: Mapping[str, str] = {**LAST_WORD_TEXTS, **RULE_TEXTS, **CAUSE_TEXTS, **REMEDY_TEXTS}


def templates(language: str = "en") -> Mapping[str, str]:
    """Every message in one language: template id → format string.

    Raises ValueError for a language without a table.
    """
    if language != "en":
        raise ValueError(f"messages exist in English (en); there is no table for {language!r}")
    return _ENGLISH
