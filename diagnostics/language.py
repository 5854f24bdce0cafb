"""The language in which people are spoken to: a text is looked up by its English, for whoever asks.

The language belongs to the context, so that two pages of one server may differ. A thread starts in English: run it in
`contextvars.copy_context()` where it is to speak its parent's language.
"""

import gettext
import os
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache
from pathlib import Path

ENGLISH = "en"
LANGUAGES: Mapping[str, str] = {ENGLISH: "English", "zh": "中文"}
"""Each language that there is with its own name for itself."""
FOLDER = Path(__file__).parent / "locale"
"""Holds `<language>/LC_MESSAGES/<domain>.po` and, compiled, `.mo`."""
VARIABLES = ("RLVITALS_LANG", "LC_ALL", "LC_MESSAGES", "LANG")
"""The environment's choice: the first of them that is set."""

_TAGS: Mapping[str, str] = {ENGLISH: "en", "zh": "zh-CN"}
_WORD = re.compile(r"[A-Za-z]+")
_CURRENT: ContextVar[str] = ContextVar("language", default=ENGLISH)


def _(text: str) -> str:
    """The text in the current language; itself where it has no translation."""
    return _translations(_CURRENT.get()).gettext(text) if text else text


def ngettext(one: str, many: str, count: int) -> str:
    """The form for so many: "{count} step" or "{count} steps", in the current language."""
    return _translations(_CURRENT.get()).ngettext(one, many, count)


def pgettext(context: str, text: str) -> str:
    """The text in the current language, where the same English means another thing elsewhere."""
    return _translations(_CURRENT.get()).pgettext(context, text)


def N_(text: str) -> str:
    """Marks a text that stands in a table, and is translated by `_` where it is shown."""
    return text


def current_language() -> str:
    """One of LANGUAGES."""
    return _CURRENT.get()


def language_tag() -> str:
    """The current language as HTML's `lang` wants it: "zh-CN"."""
    return _TAGS[_CURRENT.get()]


def set_language(code: str) -> None:
    """Speak a language from here on, in this context.

    Raises ValueError for one that is not among LANGUAGES.
    """
    if code not in LANGUAGES:
        raise ValueError(f"there is no language {code!r}, only {', '.join(LANGUAGES)}")
    _CURRENT.set(code)


@contextmanager
def language(code: str) -> Iterator[None]:
    """Speak a language inside of the block."""
    before = _CURRENT.get()
    set_language(code)
    try:
        yield
    finally:
        _CURRENT.set(before)


def known_language(*wanted: str | None) -> str:
    """The first wanted language that there is, else English; "zh-Hans-CN", "zh_CN.UTF-8" and "zh" are the same."""
    for name in wanted:
        word = _WORD.match(name or "")
        if word and word[0].lower() in LANGUAGES:
            return word[0].lower()
    return ENGLISH


def environment_language(environment: Mapping[str, str] = os.environ) -> str:
    """The language that the environment asks for, by the first of VARIABLES that is set."""
    return known_language(next(filter(None, map(environment.get, VARIABLES)), None))


@cache
def _translations(code: str) -> gettext.NullTranslations:
    """Every domain of a language, one behind the other."""
    found = gettext.NullTranslations()
    for path in sorted((FOLDER / code / "LC_MESSAGES").glob("*.mo")):
        with path.open("rb") as file:
            found.add_fallback(gettext.GNUTranslations(file))
    return found
