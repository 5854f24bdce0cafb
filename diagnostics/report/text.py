"""The text form: the first screen of a terminal holds the verdict, its evidence and what to try."""

from collections.abc import Iterator

from diagnostics.addresses import shown
from diagnostics.comparison import Comparison
from diagnostics.language import _
from diagnostics.model.cost import Cost
from diagnostics.model.diagnosis import Diagnosis
from diagnostics.model.finding import Finding
from diagnostics.model.outcome import Outcome
from diagnostics.model.run import Run
from diagnostics.punctuation import bracketed, clauses, listed, sentences
from diagnostics.report.preflight import settings_section
from diagnostics.report.report import Report
from diagnostics.report.terminal import LABEL_COLUMN, Style
from diagnostics.report.time_budget import time_lines
from diagnostics.told import said
from diagnostics.visible_text import one_line
from diagnostics.wording.comparison import comparison_heading, comparison_lines, missing_parent_sentence
from diagnostics.wording.costs import cost_sentence
from diagnostics.wording.findings import (
    fix_line,
    mute_line,
    overridden_limits,
    record_sentence,
    rival_line,
    rules_by_reason,
    sample_line,
    skip_reasons,
)
from diagnostics.wording.messages import message_text, message_with_rule
from diagnostics.wording.runs import data_line, run_line
from diagnostics.wording.steps import steps_of
from diagnostics.wording.values import counted
from diagnostics.wording.verdicts import verdict_sentence, vital_lines

OVERVIEW = 6  # findings listed before the details: they fit one screen with the worst one's evidence and fix


def render(report: Report, style: Style) -> str:
    """Every run of a report, each with its worst finding first."""
    return "\n\n\n".join("\n".join(_run(diagnosis, report, style)) for diagnosis in report.diagnoses)


def _run(diagnosis: Diagnosis, report: Report, style: Style) -> Iterator[str]:
    run = diagnosis.run
    yield one_line(f"{run.name}  {run_line(diagnosis.run)}")
    yield one_line(shown(run.path))
    if run.status.error:
        yield style.labelled(_("error"), run.status.short_error)
        if run.status.short_error != run.status.error and run.console:
            yield style.labelled("", _("The whole error stands in {file}.").format(file=run.console))
    yield ""
    yield from _findings(diagnosis, style)
    yield from (style.labelled(_("muted"), mute_line(muted)) for muted in diagnosis.muted)
    yield from _comparison(diagnosis.run, report.comparisons.get(diagnosis.run.path), style)
    yield from (
        style.labelled(_("limit"), _("{limit}, not the default").format(limit=limit))
        for limit in overridden_limits(diagnosis)
    )
    yield from _blind_spots(diagnosis.blind_spots, style)
    yield from settings_section(diagnosis.preflight, style)
    yield from _not_applicable(diagnosis, style)
    yield from (style.labelled(_("time") if not index else "", line) for index, line in enumerate(time_lines(run)))
    yield style.labelled(_("data"), data_line(diagnosis.run.data_health))
    yield from (style.labelled(_("note"), note) for note in map(said, diagnosis.notes))


def _findings(diagnosis: Diagnosis, style: Style) -> Iterator[str]:
    found = diagnosis.findings
    if not found:
        yield from _nothing_found(diagnosis, style)
        yield ""
    if len(found) > 1:
        yield from _overview(found, style)
    for finding in found:
        yield from _finding(finding, diagnosis.cost if finding is found[0] else None, style)
        yield ""


def _nothing_found(diagnosis: Diagnosis, style: Style) -> Iterator[str]:
    sentence = verdict_sentence(diagnosis)
    if diagnosis.verdict == "healthy":
        yield style.verdict("healthy", sentence)
    else:
        yield style.paragraph(sentence, indent=0)
    yield from (_below(style, _("vital"), gap) for gap in vital_lines(diagnosis))


def _overview(found: tuple[Finding, ...], style: Style) -> Iterator[str]:
    """One line per finding, so that the first screen shows them all, however long the details are."""
    yield _("{count} findings, the worst first").format(count=len(found))
    yield from (_finding_line(finding, style, indent=2) for finding in found[:OVERVIEW])
    if len(found) > OVERVIEW:
        yield "  " + _("and {findings}").format(findings=counted(len(found) - OVERVIEW, "more finding"))
    yield ""


def _finding_line(finding: Finding, style: Style, indent: int = 0) -> str:
    told = sentences((message_text(finding.summary), bracketed(steps_of(finding))))
    return style.verdict(finding.severity, told, indent=indent)


def _finding(finding: Finding, cost: Cost | None, style: Style) -> Iterator[str]:
    proof, *others = finding.outcomes
    yield _finding_line(finding, style)
    yield _below(style, _("found"), message_with_rule(proof))
    if cost is not None:
        yield _below(style, _("cost"), cost_sentence(cost))
    for fix in finding.fixes:
        yield _below(style, _("try"), fix_line(fix))
    for outcome in others:
        yield _below(style, _("also"), message_with_rule(outcome))
    for sample in finding.samples:
        yield _below(style, _("sample"), sample_line(sample))
    for rival in finding.rivals:
        yield _below(style, _("or"), rival_line(rival))
    for objection in finding.against:
        yield _below(style, _("against"), objection)
    if finding.sources:
        yield _below(style, _("source"), clauses(map(_, finding.sources)))
    if record := record_sentence(finding):
        yield _below(style, _("record"), record)


def _below(style: Style, label: str, text: str) -> str:
    return style.labelled(label, text, indent=LABEL_COLUMN)


def _comparison(run: Run, comparison: Comparison | None, style: Style) -> Iterator[str]:
    if comparison is not None:
        yield from (
            style.paragraph(comparison_heading(comparison), indent=0),
            *(style.labelled(*line) for line in comparison_lines(comparison)),
            "",
        )
    elif run.parent is not None:
        yield from (style.paragraph(missing_parent_sentence(run), indent=0), "")


def _blind_spots(outcomes: tuple[Outcome, ...], style: Style) -> Iterator[str]:
    if not outcomes:
        return
    yield _("Could not be checked ({count})").format(count=len(outcomes))
    yield from map(style.paragraph, skip_reasons(outcomes))
    yield ""


def _not_applicable(diagnosis: Diagnosis, style: Style) -> Iterator[str]:
    if not diagnosis.not_applicable:
        return
    yield _("Does not apply here ({count})").format(count=len(diagnosis.not_applicable))
    for reason, rules in rules_by_reason(diagnosis.not_applicable).items():
        yield style.paragraph(sentences((reason, f"[{listed(rules)}]")))
    yield ""
