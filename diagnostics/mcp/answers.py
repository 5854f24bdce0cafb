"""Answers: compact JSON of bounded size, in which what a log says is told apart from what rlvitals says."""

import json
from collections.abc import Callable, Mapping
from itertools import islice
from typing import Any

from diagnostics.report.strict_json import json_types
from diagnostics.visible_text import visible

MOST_CHARACTERS = 12_000
"""Of one answer: some three thousand tokens."""
LONGEST_TEXT = 2_000
"""Characters of one text from a log."""
LONGEST_NAME = 200
"""Characters of a name from a log."""
_MOST_FIELDS = 30  # of an object that we put together: one with more is a table by name, as long as a log makes it
_DIGITS = 6  # enough to judge a curve, and a third of the characters
UNTRUSTED = "untrusted"
"""The key below which stands what a model, a data set or a console wrote."""

Document = dict[str, Any]


class ToolProblem(Exception):  # noqa: N818 - a mistake of whoever asks, told as an answer
    """A tool cannot do what was asked; the message is one sentence that says what to change."""


def answer(document: Mapping[str, Any]) -> str:
    """The document on one line, without what is empty, cut where it is too large; `cut` then says what was left out.

    Every hidden character of its texts can be seen, and numbers have six digits.
    """
    whole = _plain(json_types(document))
    fitted, cut = whole, list[str]()
    while len(text := _encoded({**fitted, "cut": cut} if cut else fitted)) > MOST_CHARACTERS:
        fitted, what = _smaller(fitted)
        if what not in cut:
            cut.append(what)
    return text


def untrusted(text: str, most: int = LONGEST_TEXT) -> str:
    """A text from a log: every control character can be seen, and it is not longer than it may be."""
    return _shortened(visible(text[: most + 1]), most)


def name(text: str) -> str:
    """A name from a log, which stands among our own words."""
    return untrusted(" ".join(text.split()), LONGEST_NAME)


def _encoded(document: Mapping[str, Any]) -> str:
    return json.dumps(document, ensure_ascii=False, separators=(",", ":"))


def _plain(value: Any) -> Any:
    """Without null, empty texts and empty collections, which say nothing; texts visible, numbers short."""
    if isinstance(value, dict):
        inner = {untrusted(key, LONGEST_NAME): _plain(item) for key, item in value.items()}
        return {key: item for key, item in inner.items() if item not in (None, "", [], {})}
    if isinstance(value, list):
        return [_plain(item) for item in value]
    if isinstance(value, str):
        return visible(value)
    return float(f"{value:.{_DIGITS}g}") if isinstance(value, float) else value


def _smaller(document: Document) -> tuple[Document, str]:
    """Half of its largest list or table, or of its longest text; and where that stands.

    Raises ToolProblem where nothing in it can be halved.
    """
    rows, texts = list[tuple[int, str]](), list[tuple[int, str]]()
    _walk(document, "", lambda path, value: rows.append((len(_encoded({"": value})), path)), _of_rows)
    _walk(document, "", lambda path, value: texts.append((len(value), path)), _of_texts)
    size, path = max(rows, default=(0, ""))
    longest, of_text = max(texts, default=(0, ""))
    chosen = path if size >= longest else of_text
    if not chosen:
        raise ToolProblem(f"the answer is longer than {MOST_CHARACTERS:,} characters; ask for less")
    return _changed(document, chosen, _half), _told(chosen)


def _of_rows(value: Any) -> bool:
    return (isinstance(value, list) and len(value) > 1) or (isinstance(value, dict) and len(value) > _MOST_FIELDS)


def _of_texts(value: Any) -> bool:
    return isinstance(value, str) and len(value) > 1


def _half(value: Any) -> Any:
    if isinstance(value, dict):
        return dict(islice(value.items(), len(value) // 2))
    return _shortened(value, len(value) // 2) if isinstance(value, str) else value[: len(value) // 2]


def _walk(value: Any, path: str, found: Callable[[str, Any], None], wanted: Callable[[Any], bool]) -> None:
    if path and wanted(value):
        found(path, value)
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, item in items:
        _walk(item, f"{path}\0{key}", found, wanted)


def _changed(value: Any, path: str, change: Callable[[Any], Any]) -> Any:
    if not path:
        return change(value)
    head, _, rest = path[1:].partition("\0")
    rest = f"\0{rest}" if rest else ""
    if isinstance(value, dict):
        return {key: _changed(item, rest, change) if str(key) == head else item for key, item in value.items()}
    return [_changed(item, rest, change) if str(place) == head else item for place, item in enumerate(value)]


def _told(path: str) -> str:
    """A place in words, without the numbers of rows: "runs.findings"."""
    return ".".join(part for part in path.split("\0") if part and not part.isdigit())[:LONGEST_NAME]


def _shortened(text: str, most: int) -> str:
    return text if len(text) <= most else text[: max(most - 1, 0)] + "…"
