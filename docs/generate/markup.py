"""The Markdown of generated pages: tables, links to entries, and the entries themselves."""

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from diagnostics.report import markdown_elements

NOTE = "<!-- Written by `make reference` from the code; changes here are lost. -->"
SECTIONS = (
    "what_it_checks", "what_it_means", "why_it_matters", "why_it_is_left_out", "when_it_is_wrong", "what_to_try",
    "references",
)  # fmt: skip
_HEAD = ("name", "kind", "sentence")
_NAMES = frozenset({"points_at", "shown_by", "supported_by", "against_it", "brings_about", "judged_by", "told_by"})
"""Facts that name other entries."""

Links = Mapping[str, str]
"""The name of an entry → the page that it stands on."""


def page(title: str, introduction: str, *parts: str) -> str:
    """A whole page, with the note that it is generated."""
    return "\n\n".join([f"# {title}", NOTE, introduction.rstrip(), *parts]) + "\n"


def table(titles: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table of cells that are already Markdown."""
    return markdown_elements.table(titles, rows)


def text(words: str) -> str:
    """Text escaped to show literally."""
    return markdown_elements.escaped(words)


def code(words: str) -> str:
    """Inline code."""
    return markdown_elements.code(words)


def link(name: str, links: Links) -> str:
    """An entry's name as inline code, linked if any page has the entry."""
    return f"[{code(name)}]({links[name]}#{anchor(name)})" if name in links else code(name)


def anchor(heading: str) -> str:
    """The anchor that GitHub gives a heading."""
    return re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")


def entry(fields: Mapping[str, Any], links: Links) -> str:
    """A catalogue entry: its sentence, the short facts as a list, the longer sections."""
    facts = [
        _fact(key, value, links) for key, value in fields.items() if value and key not in _HEAD and key not in SECTIONS
    ]
    sections = [f"**{_label(key)}.** {fields[key]}" for key in SECTIONS if fields.get(key)]
    return "\n\n".join([f"### {fields['name']}", text(fields["sentence"]), "\n".join(facts), *sections])


def _fact(key: str, value: str | Sequence[str], links: Links) -> str:
    items = [value] if isinstance(value, str) else list(value)
    if key in _NAMES:
        return f"- {_label(key)}: {', '.join(link(item, links) for item in items)}"
    if len(items) == 1 or not any(" " in item for item in items):
        return f"- {_label(key)}: {', '.join(map(text, items))}"
    return "\n".join([f"- {_label(key)}:", *(f"  - {text(item)}" for item in items)])


def _label(key: str) -> str:
    return key.replace("_", " ").capitalize()
