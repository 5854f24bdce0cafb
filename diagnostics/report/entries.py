"""Entries of the catalogue as text, JSON or Markdown."""

from collections.abc import Sequence
from typing import Any

from diagnostics.catalogue import Page
from diagnostics.language import _
from diagnostics.punctuation import clauses, labelled, with_remark
from diagnostics.report import markdown_elements as markup
from diagnostics.report.columns import columns
from diagnostics.report.strict_json import to_json
from diagnostics.report.terminal import Style


def pages_form(pages: Sequence[Page], form: str, style: Style) -> str:
    """The pages one after the other as "text" or "markdown", or as one JSON document.

    JSON holds the same fields, with labels and headings in snake_case.
    """
    if form == "json":
        return to_json({"pages": [_document(page) for page in pages]})
    return "\n\n".join(_markdown(page) if form == "markdown" else _text(page, style) for page in pages)


def _text(page: Page, style: Style) -> str:
    """The facts aligned under the sentence, then the sections."""
    facts = [(_(label), lines) for label, lines in page.lines().items()]
    column = max((columns(label) for label, _lines in facts), default=0) + 2
    lines = [with_remark(page.name, _(page.kind)), style.paragraph(page.sentence), ""]
    for label, (first, *others) in facts:
        lines.append(style.labelled(label, first, indent=2, column=column))
        lines += [style.labelled("", item, indent=2, column=column) for item in others]
    for heading, body in page.sections.items():
        lines += ["", _(heading), *map(style.paragraph, body.splitlines())] if body else []
    return "\n".join(lines)


def _markdown(page: Page) -> str:
    """A heading, the facts as a list, the sections."""
    head = f"### {with_remark(markup.code(page.name), _(page.kind))}\n\n{markup.escaped(page.sentence)}"
    facts = [f"- {labelled(_(label), markup.escaped(clauses(lines)))}" for label, lines in page.lines().items()]
    sections = [f"#### {_(heading)}\n\n{body}" for heading, body in page.sections.items() if body]
    return "\n\n".join([head, "\n".join(facts), *sections])


def _document(page: Page) -> dict[str, Any]:
    labelled = {**page.facts, **page.sections}
    return {
        "name": page.name,
        "kind": page.kind,
        "sentence": page.sentence,
        **{label.lower().replace(" ", "_").replace("'", ""): value for label, value in labelled.items()},
    }
