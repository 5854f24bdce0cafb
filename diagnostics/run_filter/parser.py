"""Reads a filter: `verdict:critical,warning learning_rate>1e-4 -state:failed "free text"`.

The grammar, in which blanks separate terms:

    filter = { term }
    term   = [ "-" ] ( field operator value { "," value } | word )
    operator = ":" | "=" | ">" | ">=" | "<" | "<="
    value, word = characters without blanks | '"' characters '"'
"""

import re
from collections.abc import Iterator

from diagnostics.language import _
from diagnostics.model.settings import as_number
from diagnostics.run_filter.facts import FIELDS, MARKS
from diagnostics.run_filter.filter import ORDERS, Filter, Term

LONGEST_FILTER = 2_000  # characters
_LONGEST_QUOTE = 60  # characters of the filter that an error repeats
_QUOTED = r'"(?:[^"\\]|\\.)*"'
_TERM = re.compile(
    rf"(?P<minus>-?)(?:(?P<field>[^\W\d][\w./-]*)(?P<operator>>=|<=|[:=<>]))?(?P<values>(?:{_QUOTED}|[^\s\"])*)"
)
_PART = re.compile(rf"{_QUOTED}|[^\",]+|,")
_ESCAPE = re.compile(r"\\(.)")


class FilterError(ValueError):
    """A filter cannot be read; the message is one sentence that says where and what to write."""


def parse(text: str) -> Filter:
    """The filter that a text means; one without terms for blank text. Raises FilterError."""
    if len(text) > LONGEST_FILTER:
        words = _("A filter has at most {most} characters; this one has more.")
        raise FilterError(words.format(most=f"{LONGEST_FILTER:,}"))
    return Filter(tuple(_terms(text)))


def _terms(text: str) -> Iterator[Term]:
    place = _after_blanks(text, 0)
    while place < len(text):
        found = _TERM.match(text, place)
        assert found is not None  # every part of the pattern may be empty
        if text[found.end() : found.end() + 1] == '"':
            words = _("The quote at character {place} is not closed; end it with another one.")
            raise FilterError(words.format(place=found.end() + 1))
        yield _term(found)
        place = _after_blanks(text, found.end())


def _after_blanks(text: str, place: int) -> int:
    while place < len(text) and text[place].isspace():
        place += 1
    return place


def _term(found: re.Match[str]) -> Term:
    is_excluded, name, sign, written = bool(found["minus"]), found["field"] or "", found["operator"] or ":", found[0]
    if not name:
        word = "".join(map(_plain, _PART.findall(found["values"])))
        if not word:
            words = _("“{written}” names nothing; write a word, or a field such as -state:failed.")
            raise FilterError(words.format(written=written))
        return Term((word,), is_excluded=is_excluded)
    name = name.lower() if name.lower() in FIELDS else name
    values = _values(found["values"])
    if not all(values):
        raise FilterError(_lacks_a_value(_short(written), name, sign))
    _check(name, sign, values)
    return Term(values, name, sign, is_excluded)


def _values(text: str) -> tuple[str, ...]:
    values = [""]
    for part in _PART.findall(text):
        if part == ",":
            values.append("")
        else:
            values[-1] += _plain(part)
    return tuple(values)


def _plain(part: str) -> str:
    return _ESCAPE.sub(r"\1", part[1:-1]) if part.startswith('"') else part


def _check(name: str, sign: str, values: tuple[str, ...]) -> None:
    if sign in ORDERS and (wrong := [value for value in values if as_number(value) is None]):
        words = _("“{field}” compares numbers, and “{value}” is none.")
        raise FilterError(words.format(field=f"{name}{sign}", value=_short(wrong[0])))
    if name == "is" and (wrong := [value for value in values if value not in MARKS]):
        words = _("“is” knows {marks}, not “{mark}”.")
        raise FilterError(words.format(marks=_(" and ").join(MARKS), mark=_short(wrong[0])))


def _lacks_a_value(written: str, name: str, sign: str) -> str:
    if name == "is":
        words = _("“{written}” lacks a value; write one after “{field}”, {marks}.")
        return words.format(written=written, field=f"{name}{sign}", marks=_(" or ").join(MARKS))
    return _("“{written}” lacks a value; write one after “{field}”.").format(written=written, field=f"{name}{sign}")


def _short(text: str) -> str:
    return text if len(text) <= _LONGEST_QUOTE else f"{text[:_LONGEST_QUOTE]}…"
