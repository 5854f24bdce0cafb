"""The Markdown form: for a pull request."""

from collections.abc import Iterator, Mapping

from diagnostics.addresses import shown
from diagnostics.comparison import Comparison
from diagnostics.language import _
from diagnostics.model.cause import Rival
from diagnostics.model.diagnosis import Diagnosis
from diagnostics.model.finding import Finding
from diagnostics.model.outcome import Outcome, ShownSample
from diagnostics.model.run import Run
from diagnostics.punctuation import bracketed, clauses, labelled, listed, sentences
from diagnostics.report.markdown_elements import code, escaped, table
from diagnostics.report.preflight import settings_table
from diagnostics.report.report import Report
from diagnostics.report.terminal import Style
from diagnostics.report.time_budget import time_lines
from diagnostics.told import said
from diagnostics.wording.comparison import comparison_heading, comparison_lines, missing_parent_sentence
from diagnostics.wording.costs import cost_sentence
from diagnostics.wording.findings import (
    fix_line,
    mute_line,
    overridden_limits,
    record_sentence,
    rules_by_reason,
    sample_caption,
)
from diagnostics.wording.messages import derived_inputs, found_text, message_text
from diagnostics.wording.runs import data_line, run_line
from diagnostics.wording.severities import verdict_word
from diagnostics.wording.steps import further_episodes, steps_of
from diagnostics.wording.values import value_with_unit
from diagnostics.wording.verdicts import verdict_sentence, vital_lines, vital_title


def render(report: Report, _style: Style) -> str:
    """Every run of a report under its own heading, then what could not be read."""
    parts = ["\n".join(_run(diagnosis, report)) for diagnosis in report.diagnoses]
    if report.problems:
        rows = [(code(problem.path), escaped(problem.error)) for problem in report.problems]
        heading, listed = _("Not readable"), table((_("Path"), _("Why")), rows)
        parts.append(f"### {heading}\n\n{listed}")
    return "\n\n".join(parts)


def _run(diagnosis: Diagnosis, report: Report) -> Iterator[str]:
    run = diagnosis.run
    yield f"### {labelled(escaped(run.name), verdict_word(diagnosis.verdict))}"
    yield ""
    yield f"{escaped(run_line(diagnosis.run))} · {code(shown(run.path))} · {data_line(diagnosis.run.data_health)}"
    yield ""
    yield from (f"{escaped(note)}\n" for note in map(said, diagnosis.notes))
    yield _found(diagnosis.findings) or escaped(verdict_sentence(diagnosis))
    if diagnosis.cost is not None:
        yield f"\n{escaped(cost_sentence(diagnosis.cost))}"
    yield from ("\n" + _("Muted: {finding}").format(finding=escaped(mute_line(muted))) for muted in diagnosis.muted)
    if gaps := vital_lines(diagnosis):
        yield f"\n{escaped(vital_title())}\n"
        yield from (f"- {escaped(gap)}" for gap in gaps)
    yield from _comparison(run, report.comparisons.get(run.path))
    yield from (f"\n{escaped(line)}" for line in time_lines(run))
    if limits := overridden_limits(diagnosis):
        yield "\n" + _("Not the default limits: {limits}").format(limits=listed(map(code, limits)))
    if diagnosis.blind_spots:
        yield ""
        yield from _blind_spots(diagnosis.blind_spots)
    if found := diagnosis.settings_findings:
        yield ""
        title = _("Settings worth a look ({count})").format(count=len(found))
        yield from _collapsible(title, settings_table(found))
    if reasons := rules_by_reason(diagnosis.not_applicable):
        yield ""
        yield from _not_applicable(reasons)


def _comparison(run: Run, comparison: Comparison | None) -> Iterator[str]:
    if comparison is not None:
        yield f"\n**{escaped(comparison_heading(comparison))}**\n"
        yield from (f"- {labelled(label, escaped(text))}" for label, text in comparison_lines(comparison))
    elif run.parent is not None:
        yield f"\n{escaped(missing_parent_sentence(run))}"


def _found(found: tuple[Finding, ...]) -> str:
    if not found:
        return ""
    rows = [
        (
            f"**{_(str(finding.severity))}**",
            "<br>".join(_what_it_is(finding)),
            steps_of(finding),
            "<br>".join([*map(_measured, finding.outcomes), *map(_sample, finding.samples)]),
            "<br>".join(escaped(fix_line(fix)) for fix in finding.fixes),
            escaped(clauses(map(_, finding.sources))),
        )
        for finding in found
    ]
    return table((_("Severity"), _("Finding"), _("When"), _("Measured"), _("Try"), _("Source")), rows)


def _what_it_is(finding: Finding) -> Iterator[str]:
    yield escaped(message_text(finding.summary))
    yield from map(_what_decides, finding.open_rivals)
    yield from filter(None, [escaped(record_sentence(finding))])


def _what_decides(rival: Rival) -> str:
    return sentences((escaped(message_text(rival.decides)), bracketed(code(rival.cause))))


def _sample(sample: ShownSample) -> str:
    return sentences((escaped(sample_caption(sample)), code(sample.quote)))


def _measured(outcome: Outcome) -> str:
    if outcome.measured is None or outcome.limit is None:
        return sentences((escaped(found_text(outcome)), bracketed(code(outcome.rule))))
    measured = _("{metric} {value}, limit {limit} ({rule})").format(
        metric=code(outcome.tag or outcome.metric),
        value=value_with_unit(outcome.measured, outcome.unit),
        limit=value_with_unit(outcome.limit, outcome.unit),
        rule=code(outcome.rule),
    )
    return sentences((measured, *map(escaped, (further_episodes(outcome), derived_inputs(outcome)))))


def _blind_spots(outcomes: tuple[Outcome, ...]) -> Iterator[str]:
    rows = [
        (code(outcome.rule), escaped(message_text(outcome.message)), escaped(message_text(outcome.enable)))
        for outcome in outcomes
    ]
    title = _("Could not be checked ({count})").format(count=len(outcomes))
    yield from _collapsible(title, table((_("Rule"), _("Why"), _("To enable")), rows))


def _not_applicable(reasons: Mapping[str, tuple[str, ...]]) -> Iterator[str]:
    rows = [(listed(map(code, rules)), escaped(reason)) for reason, rules in reasons.items()]
    title = _("Does not apply here ({count})").format(count=sum(map(len, reasons.values())))
    yield from _collapsible(title, table((_("Rules"), _("Why")), rows))


def _collapsible(title: str, body: str) -> Iterator[str]:
    yield from (f"<details><summary>{title}</summary>", "", body, "", "</details>")
