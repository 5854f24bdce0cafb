"""The status of runs as text, JSON or Markdown: what `rlvitals status` prints."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from diagnostics.addresses import shown
from diagnostics.punctuation import labelled
from diagnostics.report import markdown_elements as markup
from diagnostics.report.report import Problem
from diagnostics.report.run_fields import run_fields
from diagnostics.report.strict_json import to_json
from diagnostics.report.terminal import Style
from diagnostics.visible_text import one_line
from diagnostics.wording.status_block import StatusBlock, title

_COLUMN = 13  # "performance" and two spaces


def status_form(
    blocks: Sequence[StatusBlock],
    problems: Sequence[Problem],
    form: str,
    style: Style,
    jobs: Sequence[Mapping[str, Any]] = (),
) -> str:
    """The blocks one after the other as "text" or "markdown", or as one JSON document; `jobs` is for JSON."""
    if form == "json":
        errors = [{"path": problem.path, "error": problem.error} for problem in problems]
        return to_json({"runs": [status_document(block) for block in blocks], "errors": errors, "jobs": jobs})
    if form == "markdown":
        return "\n\n".join(map(_markdown, blocks))
    return "\n\n".join("\n".join(_text(block, style)) for block in blocks)


def status_document(block: StatusBlock) -> dict[str, Any]:
    """One run for JSON; null is what the log does not tell."""
    worst = block.diagnosis.findings[0] if block.diagnosis.findings else None
    return {
        **run_fields(block.run),
        "health": block.health,
        "reason": block.reason,
        "progress": {
            "step": block.run.last_step,
            "total": block.run.status.total,
            "share": block.share,
            "seconds_left": block.seconds_left,
            "text": block.progress,
        },
        "stability": {
            "verdict": block.diagnosis.verdict,
            "finding": worst.name if worst else None,
            "first_step": worst.first_step if worst else None,
            "still": worst.still if worst else None,
            "text": block.stability,
        },
        "performance": {
            "reward": block.reward
            and {
                "name": block.reward.name,
                "latest": block.reward.latest,
                "first": block.reward.first,
                "logged_steps": block.reward.points,
            },
            "step_seconds": block.step_seconds,
            "text": block.performance,
        },
        "next_look": {"seconds": block.seconds_to_next_look, "text": block.next_look},
    }


def _text(block: StatusBlock, style: Style) -> Iterator[str]:
    yield one_line(f"{block.run.name}  {shown(block.run.path)}")
    yield style.labelled(title(block.health).upper(), block.reason, column=_COLUMN)
    yield from (style.labelled(label, text, column=_COLUMN) for label, text in block.lines)


def _markdown(block: StatusBlock) -> str:
    head = labelled(f"**{title(block.health)}** {markup.code(block.run.name)}", markup.escaped(block.reason))
    rows = [
        f"- {labelled(label, markup.escaped(text))}" if label else f"  {markup.escaped(text)}"
        for label, text in block.lines
    ]
    return "\n".join([head, "", *rows])
