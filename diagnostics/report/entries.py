"""One entry of a catalogue in full, as text, JSON or Markdown."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from diagnostics.report import markdown_elements as markup
from diagnostics.report.strict_json import to_json
from diagnostics.report.terminal import Style


@dataclass(frozen=True, slots=True)
class Page:
    """An entry: its name and kind, one sentence, short facts by label, longer sections by heading.

    A list of names fills one line, a list of phrases one line each; empty facts are left out. JSON holds the same
    fields, with labels and headings in snake_case.
    """

    name: str
    kind: str
    sentence: str
    facts: Mapping[str, str | Sequence[str]] = field(default_factory=dict)
    sections: Mapping[str, str] = field(default_factory=dict)

    def text(self, style: Style) -> str:
        """The facts aligned under the sentence, then the sections."""
        facts = {label: _lines(fact) for label, fact in self.facts.items() if fact}
        column = max(map(len, facts), default=0) + 2
        lines = [f"{self.name} ({self.kind})", style.paragraph(self.sentence), ""]
        for label, (first, *others) in facts.items():
            lines.append(style.labelled(label, first, indent=2, column=column))
            lines += [style.labelled("", item, indent=2, column=column) for item in others]
        for heading, body in self.sections.items():
            lines += ["", heading, *map(style.paragraph, body.splitlines())] if body else []
        return "\n".join(lines)

    def markdown(self) -> str:
        """A heading, the facts as a list, the sections."""
        head = f"### {markup.code(self.name)} ({self.kind})\n\n{markup.escaped(self.sentence)}"
        facts = [f"- {label}: {markup.escaped('; '.join(_lines(fact)))}" for label, fact in self.facts.items() if fact]
        sections = [f"#### {heading}\n\n{body}" for heading, body in self.sections.items() if body]
        return "\n\n".join([head, "\n".join(facts), *sections])

    def document(self) -> dict[str, Any]:
        """The fields for JSON."""
        labelled = {**self.facts, **self.sections}
        return {
            "name": self.name,
            "kind": self.kind,
            "sentence": self.sentence,
            **{label.lower().replace(" ", "_").replace("'", ""): value for label, value in labelled.items()},
        }


def pages_form(pages: Sequence[Page], form: str, style: Style) -> str:
    """The pages one after the other as "text" or "markdown", or as one JSON document."""
    if form == "json":
        return to_json({"pages": [page.document() for page in pages]})
    return "\n\n".join(page.markdown() if form == "markdown" else page.text(style) for page in pages)


def _lines(fact: str | Sequence[str]) -> Sequence[str]:
    if isinstance(fact, str):
        return [fact]
    return fact if any(" " in item for item in fact) else [", ".join(fact)]
