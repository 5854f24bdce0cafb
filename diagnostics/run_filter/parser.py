"""Reads a filter: `verdict:critical,warning learning_rate>1e-4 -state:failed "free text"`.

The grammar, in which blanks separate terms:

    filter = { term }
    term   = [ "-" ] ( field operator value { "," value } | word )
    operator = ":" | "=" | ">" | ">=" | "<" | "<="
    value, word = characters without blanks | '"' characters '"'
"""

import re
from collections.abc import Iterator

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
        raise FilterError(f"A filter has at most {LONGEST_FILTER:,} characters; this one has more.")
    return Filter(tuple(_terms(text)))


def _terms(text: str) -> Iterator[Term]:
    place = _after_blanks(text, 0)
    while place < len(text):
        found = _TERM.match(text, place)
        assert found is not None  # every part of the pattern may be empty
        if text[found.end() : found.end() + 1] == '"':
            raise FilterError(f"The quote at character {found.end() + 1} is not closed; end it with another one.")
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
            raise FilterError(f"“{written}” names nothing; write a word, or a field such as -state:failed.")
        return Term((word,), is_excluded=is_excluded)
    name = name.lower() if name.lower() in FIELDS else name
    values = _values(found["values"])
    if not all(values):
        raise FilterError(f"“{_short(written)}” lacks a value; write one after “{name}{sign}”{_example(name)}.")
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
        raise FilterError(f"“{name}{sign}” compares numbers, and “{_short(wrong[0])}” is none.")
    if name == "is" and (wrong := [value for value in values if value not in MARKS]):
        raise FilterError(f"“is” knows {' and '.join(MARKS)}, not “{_short(wrong[0])}”.")


def _example(name: str) -> str:
    return f", {' or '.join(MARKS)}" if name == "is" else ""


def _short(text: str) -> str:
    return text if len(text) <= _LONGEST_QUOTE else f"{text[:_LONGEST_QUOTE]}…"
