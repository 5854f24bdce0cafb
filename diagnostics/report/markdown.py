"""The Markdown form: a report that fits into a pull request."""

from collections.abc import Iterator, Mapping

from diagnostics.model.diagnosis import Diagnosis
from diagnostics.model.outcome import Outcome, ShownSample
from diagnostics.model.run import Run
from diagnostics.report.config_findings import settings_table
from diagnostics.report.contents import (
    Finding,
    advice,
    concerns,
    data_line,
    enabling,
    exhibited,
    findings,
    number,
    own_limits,
    reasons_not_to_apply,
    run_line,
    said,
    verdict_sentence,
)
from diagnostics.report.layout import Style
from diagnostics.report.markdown_elements import code, escaped, table
from diagnostics.report.report import Report
from diagnostics.report.since_parent import SinceParent, heading, not_found, told


def render(report: Report, _style: Style) -> str:
    """Every run of a report under its own heading, then what could not be read."""
    parts = ["\n".join(_run(diagnosis, report)) for diagnosis in report.diagnoses]
    if report.problems:
        rows = [(code(problem.path), escaped(problem.error)) for problem in report.problems]
        parts.append(f"### Not readable\n\n{table(('Path', 'Why'), rows)}")
    return "\n\n".join(parts)


def _run(diagnosis: Diagnosis, report: Report) -> Iterator[str]:
    run = diagnosis.run
    yield f"### {escaped(run.name)}: {diagnosis.verdict.replace('-', ' ')}"
    yield ""
    yield f"{escaped(run_line(diagnosis))} · {code(str(run.path))} · {data_line(diagnosis)}"
    yield ""
    yield from (f"{escaped(note)}\n" for note in run.notes)
    yield _found(findings(diagnosis)) or verdict_sentence(diagnosis)
    yield from _since_parent(run, report.since.get(run.path))
    if limits := own_limits(diagnosis):
        yield f"\nNot the default limits: {', '.join(map(code, limits))}"
    if diagnosis.blind_spots:
        yield ""
        yield from _blind_spots(diagnosis.blind_spots)
    if found := concerns(diagnosis.preflight):
        yield ""
        yield from _folded(f"Settings worth a look ({len(found)})", settings_table(found))
    if reasons := reasons_not_to_apply(diagnosis):
        yield ""
        yield from _not_applicable(reasons)


def _since_parent(run: Run, since: SinceParent | None) -> Iterator[str]:
    if since is not None:
        yield f"\n**{escaped(heading(since))}**\n"
        yield from (f"- {label}: {escaped(text)}" for label, text in told(since))
    elif run.parent is not None:
        yield f"\n{escaped(not_found(run))}"


def _found(found: tuple[Finding, ...]) -> str:
    if not found:
        return ""
    rows = [
        (
            f"**{finding.severity}**",
            escaped(finding.sentence),
            finding.steps,
            "<br>".join([*map(_measured, finding.outcomes), *map(_sample, finding.samples)]),
            "<br>".join(escaped(advice(fix)) for fix in finding.fixes),
            escaped("; ".join(finding.sources)),
        )
        for finding in found
    ]
    return table(("Severity", "Finding", "When", "Measured", "Try", "Source"), rows)


def _sample(shown: ShownSample) -> str:
    return f"{escaped(exhibited(shown))} {code(shown.quote)}"


def _measured(outcome: Outcome) -> str:
    if outcome.measured is None or outcome.limit is None:
        return f"{escaped(said(outcome.message))} ({code(outcome.rule)})"
    value, limit = number(outcome.measured, outcome.unit), number(outcome.limit, outcome.unit)
    return f"{code(outcome.tag or outcome.metric)} {value}, limit {limit} ({code(outcome.rule)})"


def _blind_spots(outcomes: tuple[Outcome, ...]) -> Iterator[str]:
    rows = [(code(outcome.rule), escaped(said(outcome.message)), escaped(enabling(outcome))) for outcome in outcomes]
    yield from _folded(f"Could not be checked ({len(outcomes)})", table(("Rule", "Why", "To enable"), rows))


def _not_applicable(reasons: Mapping[str, tuple[str, ...]]) -> Iterator[str]:
    rows = [(", ".join(map(code, rules)), escaped(reason)) for reason, rules in reasons.items()]
    yield from _folded(f"Does not apply here ({sum(map(len, reasons.values()))})", table(("Rules", "Why"), rows))


def _folded(title: str, body: str) -> Iterator[str]:
    yield from (f"<details><summary>{title}</summary>", "", body, "", "</details>")
