"""The HTML form: a single self-contained file without scripts, to print or to send."""

import base64
import hashlib
from collections.abc import Iterator, Sequence
from importlib.resources import files
from itertools import count

from diagnostics.addresses import shown
from diagnostics.comparison import Comparison
from diagnostics.curves.selection import crucial_series
from diagnostics.language import _, language_tag, pgettext
from diagnostics.model.diagnosis import Diagnosis
from diagnostics.model.messages import format_setting
from diagnostics.model.outcome import Outcome, Severity, Verdict
from diagnostics.model.run import Run
from diagnostics.punctuation import bracketed, labelled, listed, sentences
from diagnostics.report.html.checks import checks_section, settings_section
from diagnostics.report.html.elements import Markup, block, collapsible, element, table
from diagnostics.report.html.finding import finding_section
from diagnostics.report.html.metrics import curves, more_metrics
from diagnostics.report.html.samples import newest_samples
from diagnostics.report.html.sign import sign
from diagnostics.report.report import Report
from diagnostics.report.terminal import Style
from diagnostics.report.time_budget import time_lines
from diagnostics.told import said
from diagnostics.wording.comparison import comparison_heading, comparison_lines, missing_parent_sentence
from diagnostics.wording.costs import cost_sentence
from diagnostics.wording.findings import mute_line, overridden_limits
from diagnostics.wording.messages import message_text
from diagnostics.wording.runs import data_line, run_line
from diagnostics.wording.severities import verdict_word
from diagnostics.wording.steps import steps_of
from diagnostics.wording.values import counted
from diagnostics.wording.verdicts import verdict_sentence, vital_lines, vital_title


def render(report: Report, _style: Style) -> str:
    """The page: an index if there are several runs, an article for each, and the paths that could not be read."""
    style = files("diagnostics.report.html").joinpath("page.css").read_text("utf-8")
    head = element(
        "head",
        element("meta", charset="utf-8"),
        element("meta", http_equiv="Content-Security-Policy", content=_policy(style)),
        element("meta", name="viewport", content="width=device-width, initial-scale=1"),
        element("meta", name="generator", content="rlvitals"),
        element("title", _title(report)),
        element("style", Markup(style)),
    )
    numbers = count(1)
    articles = (
        _article(diagnosis, index, numbers, report.comparisons.get(diagnosis.run.path))
        for index, diagnosis in enumerate(report.diagnoses, start=1)
    )
    body = element("body", element("main", _list_of_runs(report), *articles, _problems(report)))
    return f"<!doctype html>\n{element('html', head, body, lang=language_tag())}"


def _policy(style: str) -> str:
    """What the page may load and do: apply this style sheet of its own, and nothing else."""
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    return f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'"


def _title(report: Report) -> str:
    names = [labelled(diagnosis.run.name, verdict_word(diagnosis.verdict)) for diagnosis in report.diagnoses]
    return names[0] if len(names) == 1 else f"rlvitals: {counted(len(names), 'run')}"


def _list_of_runs(report: Report) -> Markup:
    """An index of several runs: each with its verdict, its worst finding and a link."""
    if len(report.diagnoses) < 2:
        return Markup("")
    rows = [
        (
            sign(diagnosis.verdict),
            element("a", diagnosis.run.name, href=f"#run-{index}"),
            _sentence(diagnosis),
            run_line(diagnosis.run),
        )
        for index, diagnosis in enumerate(report.diagnoses, start=1)
    ]
    return element(
        "nav", element("h1", _title(report)), table((_("Verdict"), _("Run"), _("Why"), _("What it is")), rows)
    )


def _problems(report: Report) -> Markup:
    if not report.problems:
        return Markup("")
    rows = [(problem.path, problem.error) for problem in report.problems]
    return element("section", element("h2", _("Not readable")), table((_("Path"), _("Why")), rows))


def _article(diagnosis: Diagnosis, index: int, numbers: Iterator[int], comparison: Comparison | None) -> Markup:
    sections = (
        *_head(diagnosis),
        *(finding_section(finding, diagnosis, numbers) for finding in diagnosis.findings),
        *_comparison(diagnosis.run, comparison),
        curves(_("Crucial values"), crucial_series(diagnosis.run), diagnosis, numbers),
        *_time(diagnosis.run),
        settings_section(diagnosis),
        newest_samples(diagnosis.run),
        *checks_section(diagnosis),
        more_metrics(diagnosis, numbers),
        _config(diagnosis.run),
        _data(diagnosis),
    )
    return element("article", *sections, id=f"run-{index}")


def _time(run: Run) -> Iterator[Markup]:
    """Where the time of a step goes, where the log tells."""
    if lines := time_lines(run):
        yield element("section", element("h2", _("Time")), *(element("p", line) for line in lines))


def _comparison(run: Run, comparison: Comparison | None) -> Iterator[Markup]:
    if comparison is not None:
        yield element("h2", comparison_heading(comparison))
        yield table((_("What"), _("How it stands")), comparison_lines(comparison))
    elif run.parent is not None:
        yield element("p", missing_parent_sentence(run), class_="muted")


def _head(diagnosis: Diagnosis) -> Iterator[Markup]:
    run = diagnosis.run
    yield element("h1", run.name)
    yield element("p", f"{run_line(diagnosis.run)} · {shown(run.path)}", class_="muted")
    yield element("p", sign(diagnosis.verdict), " ", element("strong", _sentence(diagnosis)), class_="verdict")
    if diagnosis.cost is not None:
        yield element("p", cost_sentence(diagnosis.cost))
    yield from (element("p", _("Muted: {finding}").format(finding=mute_line(muted))) for muted in diagnosis.muted)
    if gaps := vital_lines(diagnosis):
        yield element("p", vital_title())
        yield element("ul", *(element("li", gap) for gap in gaps))
    yield element("p", _counts(diagnosis), class_="muted")
    if run.status.error:
        yield element("p", _("The run ended with an error: {error}").format(error=run.status.short_error))
        if run.status.short_error != run.status.error:
            yield collapsible(_("The whole error"), element("pre", block(run.status.error)))
    if limits := overridden_limits(diagnosis):
        yield element("p", _("Not the default limits: {limits}").format(limits=listed(limits)))


def _sentence(diagnosis: Diagnosis) -> str:
    """The verdict in a sentence: the worst finding, or how much was checked."""
    found = diagnosis.findings
    if not found:
        return verdict_sentence(diagnosis)
    return sentences((message_text(found[0].summary), bracketed(steps_of(found[0]))))


def _counts(diagnosis: Diagnosis) -> str:
    fired = [f"{n} {verdict_word(name)}" for name in reversed(Severity) if (n := _of_severity(diagnosis.fired, name))]
    quiet = sum(outcome.verdict is Verdict.QUIET for outcome in diagnosis.outcomes)
    unchecked = _("{checks} could not run").format(checks=counted(len(diagnosis.blind_spots), "check"))
    quiet_checks = _("{checks} quiet").format(checks=counted(quiet, "check"))
    return " · ".join([*fired, quiet_checks, unchecked, data_line(diagnosis.run.data_health)])


def _of_severity(outcomes: Sequence[Outcome], severity: Severity) -> int:
    return sum(outcome.severity is severity for outcome in outcomes)


def _config(run: Run) -> Markup:
    if not run.config:
        return Markup("")
    rows = [(name, format_setting(value)) for name, value in sorted(run.config.items())]
    return element(
        "section",
        element("h2", _("Configuration")),
        collapsible(counted(len(rows), "setting"), table((_("Setting"), pgettext("of a setting", "Value")), rows)),
    )


def _data(diagnosis: Diagnosis) -> Markup:
    """The quality of the log, and where it was read from."""
    run = diagnosis.run
    sources = [f"{source.format}: {source.path}" for source in run.sources]
    tags = listed(sorted({*run.data_health.unmapped_tags} - {*run.data_health.understood_tags}))
    lines = [
        data_line(diagnosis.run.data_health),
        *sources,
        *map(said, diagnosis.notes),
        *([_("Outside the vocabulary: {tags}").format(tags=tags)] if tags else []),
    ]
    return element("section", element("h2", _("Data")), *(element("p", line, class_="muted") for line in lines))
