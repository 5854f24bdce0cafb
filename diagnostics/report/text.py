"""The text form: a terminal's first screen holds the verdict, its proof and what to try; the rest follows."""

from collections.abc import Iterator

from diagnostics.diagnosis import Diagnosis, Outcome
from diagnostics.report.contents import (
    Finding,
    Report,
    advice,
    data_line,
    enabling,
    findings,
    run_line,
    said,
    verdict_sentence,
)
from diagnostics.report.style import LABEL_COLUMN, Style


def report_text(report: Report, style: Style | None = None) -> str:
    """Every run of a report, each with its worst finding first."""
    return "\n\n\n".join("\n".join(_run(diagnosis, style or Style())) for diagnosis in report.diagnoses)


def _run(diagnosis: Diagnosis, style: Style) -> Iterator[str]:
    run = diagnosis.run
    yield f"{run.name}  {run_line(diagnosis)}"
    yield str(run.path)
    if run.status.error:
        yield style.labelled("error", run.status.error)
    yield ""
    yield from _findings(diagnosis, style)
    yield from _blind_spots(diagnosis.blind_spots, style)
    yield style.labelled("data", data_line(diagnosis))
    yield from (style.labelled("note", note) for note in run.notes)


def _findings(diagnosis: Diagnosis, style: Style) -> Iterator[str]:
    found = findings(diagnosis)
    if not found:
        label = "HEALTHY" if diagnosis.verdict == "healthy" else "UNJUDGED"
        yield style.labelled(label, verdict_sentence(diagnosis))
        yield ""
    for finding in found:
        yield from _finding(finding, style)
        yield ""


def _finding(finding: Finding, style: Style) -> Iterator[str]:
    yield style.labelled(finding.severity.upper(), f"{finding.sentence} ({finding.steps})")
    for outcome in finding.outcomes:
        yield _below(style, "found", f"{said(outcome.message)} [{outcome.rule}]")
    for fix in finding.fixes:
        yield _below(style, "try", advice(fix))
    for objection in finding.against:
        yield _below(style, "against", objection)
    if finding.sources:
        yield _below(style, "source", "; ".join(finding.sources))


def _below(style: Style, label: str, text: str) -> str:
    return style.labelled(label, text, indent=LABEL_COLUMN)


def _blind_spots(outcomes: tuple[Outcome, ...], style: Style) -> Iterator[str]:
    if not outcomes:
        return
    yield f"Could not be checked ({len(outcomes)})"
    column = max(len(outcome.rule) for outcome in outcomes) + 2
    for outcome in outcomes:
        reason = f"{said(outcome.message)} {enabling(outcome)}".rstrip()
        yield style.labelled(outcome.rule, reason, indent=2, column=column)
    yield ""
