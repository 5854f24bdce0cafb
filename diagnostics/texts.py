"""The messages of rules, causes and remedies: one table for each language."""

from collections.abc import Mapping
from functools import cache

from diagnostics.causes.catalog import TEXTS as CAUSE_TEXTS
from diagnostics.causes.remedies.catalog import TEXTS as REMEDY_TEXTS
from diagnostics.language import ENGLISH, _, language
from diagnostics.last_words import TEXTS as LAST_WORD_TEXTS
from diagnostics.rules import TEXTS as RULE_TEXTS

_ENGLISH: Mapping[str, str] = {**LAST_WORD_TEXTS, **RULE_TEXTS, **CAUSE_TEXTS, **REMEDY_TEXTS}


@cache
def templates(code: str = ENGLISH) -> Mapping[str, str]:
    """Every message in one language: template id → format string.

    Raises ValueError for a language that is not among `diagnostics.language.LANGUAGES`.
    """
    with language(code):
        return {key: _(text) for key, text in _ENGLISH.items()}
