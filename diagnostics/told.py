"""Sentences that are composed while a log is read: English until somebody is there to read them in another language."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from diagnostics.addresses import shown
from diagnostics.language import _

_TEMPLATE, _VALUES = "template", "values"


class Told(str):
    """An English sentence that knows its template and the values in it."""

    __slots__ = (_TEMPLATE, _VALUES)

    template: str
    values: Mapping[str, Any]


def told(template: str, **values: Any) -> Told:
    """The sentence of a template; a value may be such a sentence itself, and a path is named as its user knows it."""
    values = {name: shown(value) if isinstance(value, Path) else value for name, value in values.items()}
    sentence = Told(template.format(**values))
    sentence.template, sentence.values = template, values
    return sentence


def first_of(names: Sequence[str], most: int) -> str:
    """The first of these names, and how many more there are: "a, b and 3 more"."""
    listed = ", ".join(names[:most])
    return listed if len(names) <= most else told("{names} and {count} more", names=listed, count=len(names) - most)


def said(text: str) -> str:
    """The sentence in the current language; any other text as it is."""
    if not isinstance(text, Told):
        return text
    return _(text.template).format(**{name: _heard(value) for name, value in text.values.items()})


def _heard(value: Any) -> Any:
    if isinstance(value, Exception):
        return reason(value)
    return said(value) if isinstance(value, str) else value


def reason(error: Exception) -> str:
    """What an error says, in the current language."""
    sentence = error.args[0] if error.args else ""
    return said(sentence) if isinstance(sentence, Told) else str(error)


def plain(value: Any) -> Any:
    """A sentence as JSON may hold it; any other value as it is."""
    if not isinstance(value, Told):
        return value
    return {_TEMPLATE: value.template, _VALUES: {name: plain(inner) for name, inner in value.values.items()}}


def from_plain(found: Any) -> Any:
    """What `plain` made of a sentence. Raises KeyError or TypeError for a mapping that it did not make."""
    if not isinstance(found, dict):
        return found
    return told(found[_TEMPLATE], **{name: from_plain(value) for name, value in found[_VALUES].items()})
