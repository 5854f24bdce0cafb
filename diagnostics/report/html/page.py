"""The HTML form: a single self-contained file without scripts, to print or to send."""

import base64
import hashlib
from collections.abc import Iterable, Iterator, Sequence
from importlib.resources import files
from itertools import count

from diagnostics.comparison import Comparison
from diagnostics.curves.selection import crucial_series, other_series
from diagnostics.model.diagnosis import Diagnosis
from diagnostics.model.finding import Finding
from diagnostics.model.messages import format_setting, format_value
from diagnostics.model.outcome import Outcome, Severity, ShownSample, Verdict
from diagnostics.model.run import Run
from diagnostics.model.series import Series
from diagnostics.report.html.curve import curve_svg
from diagnostics.report.html.elements import Markup, block, collapsible, element, joined, table
from diagnostics.report.html.samples import dialogue, newest_samples
from diagnostics.report.report import Report
from diagnostics.report.terminal import Style
from diagnostics.wording.comparison import comparison_heading, comparison_lines, missing_parent_sentence
from diagnostics.wording.findings import fix_line, overridden_limits, rival_line, rules_by_reason, sample_caption
from diagnostics.wording.messages import message_text, message_with_rule
from diagnostics.wording.runs import data_line, run_line
from diagnostics.wording.series import last_value, series_title
from diagnostics.wording.severities import VERDICT_SHAPES, verdict_word
from diagnostics.wording.steps import steps_of
from diagnostics.wording.values import counted, value_with_unit
from diagnostics.wording.verdicts import verdict_sentence, vital_lines

_MOST_CURVES = 60  # besides the crucial ones: a run may log thousands of tags


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
    return f"<!doctype html>\n{element('html', head, body, lang='en')}"


def _policy(style: str) -> str:
    """What the page may load and do: apply this style sheet of its own, and nothing else."""
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    return f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'"


def _title(report: Report) -> str:
    names = [f"{diagnosis.run.name}: {verdict_word(diagnosis.verdict)}" for diagnosis in report.diagnoses]
    return names[0] if len(names) == 1 else f"rlvitals: {counted(len(names), 'run')}"


def _list_of_runs(report: Report) -> Markup:
    """An index of several runs: each with its verdict, its worst finding and a link."""
    if len(report.diagnoses) < 2:
        return Markup("")
    rows = [
        (
            _sign(diagnosis.verdict),
            element("a", diagnosis.run.name, href=f"#run-{index}"),
            _sentence(diagnosis),
            run_line(diagnosis.run),
        )
        for index, diagnosis in enumerate(report.diagnoses, start=1)
    ]
    return element("nav", element("h1", _title(report)), table(("Verdict", "Run", "Why", "What it is"), rows))


def _problems(report: Report) -> Markup:
    if not report.problems:
        return Markup("")
    rows = [(problem.path, problem.error) for problem in report.problems]
    return element("section", element("h2", "Not readable"), table(("Path", "Why"), rows))


def _article(diagnosis: Diagnosis, index: int, numbers: Iterator[int], comparison: Comparison | None) -> Markup:
    sections = (
        *_head(diagnosis),
        *(_finding(finding, diagnosis, numbers) for finding in diagnosis.findings),
        *_comparison(diagnosis.run, comparison),
        _curves("Crucial values", crucial_series(diagnosis.run), diagnosis, numbers),
        _preflight(diagnosis),
        newest_samples(diagnosis.run),
        *_checks(diagnosis),
        _more_metrics(diagnosis, numbers),
        _config(diagnosis.run),
        _data(diagnosis),
    )
    return element("article", *sections, id=f"run-{index}")


def _comparison(run: Run, comparison: Comparison | None) -> Iterator[Markup]:
    if comparison is not None:
        yield element("h2", comparison_heading(comparison))
        yield table(("What", "How it stands"), comparison_lines(comparison))
    elif run.parent is not None:
        yield element("p", missing_parent_sentence(run), class_="muted")


def _head(diagnosis: Diagnosis) -> Iterator[Markup]:
    run = diagnosis.run
    yield element("h1", run.name)
    yield element("p", f"{run_line(diagnosis.run)} · {run.path}", class_="muted")
    yield element("p", _sign(diagnosis.verdict), " ", element("strong", _sentence(diagnosis)), class_="verdict")
    yield from (element("p", f"Not checked, though vital: {gap}") for gap in vital_lines(diagnosis))
    yield element("p", _counts(diagnosis), class_="muted")
    if run.status.error:
        yield element("p", f"The run ended with an error: {run.status.short_error}")
        if run.status.short_error != run.status.error:
            yield collapsible("The whole error", element("pre", block(run.status.error)))
    if limits := overridden_limits(diagnosis):
        yield element("p", f"Not the default limits: {', '.join(limits)}")


def _sentence(diagnosis: Diagnosis) -> str:
    """The verdict in a sentence: the worst finding, or how much was checked."""
    found = diagnosis.findings
    return f"{message_text(found[0].summary)} ({steps_of(found[0])})" if found else verdict_sentence(diagnosis)


def _counts(diagnosis: Diagnosis) -> str:
    fired = [f"{n} {verdict_word(name)}" for name in reversed(Severity) if (n := _of_severity(diagnosis.fired, name))]
    quiet = sum(outcome.verdict is Verdict.QUIET for outcome in diagnosis.outcomes)
    unchecked = counted(len(diagnosis.blind_spots), "check") + " could not run"
    return " · ".join([*fired, counted(quiet, "check") + " quiet", unchecked, data_line(diagnosis.run.data_health)])


def _of_severity(outcomes: Sequence[Outcome], severity: Severity) -> int:
    return sum(outcome.severity is severity for outcome in outcomes)


def _finding(finding: Finding, diagnosis: Diagnosis, numbers: Iterator[int]) -> Markup:
    """One finding with its evidence: what was measured, what to try, curves and samples."""
    names = dict.fromkeys(outcome.metric for outcome in finding.outcomes)
    proofs = [series for name in names if (series := diagnosis.run.get(name)) is not None]
    return element(
        "section",
        element(
            "h3", _sign(finding.severity), " ", message_text(finding.summary), " ", element("small", steps_of(finding))
        ),
        _facts(finding),
        element("div", *(_figure(series, diagnosis, numbers) for series in proofs), class_="charts"),
        *(_shown_sample(sample, diagnosis.run) for sample in finding.samples),
        *(_evidence(outcome) for outcome in finding.outcomes if len(outcome.evidence.steps)),
        class_=f"finding {finding.severity}",
    )


def _facts(finding: Finding) -> Markup:
    """What was measured, what to try, and what else was found, in the order of the text form."""
    proof, *others = (message_with_rule(outcome) for outcome in finding.outcomes)
    facts = [
        ("found", proof),
        *(("try", fix_line(fix)) for fix in finding.fixes),
        *(("also", other) for other in others),
        *(("or", rival_line(rival)) for rival in finding.rivals),
        *(("against", objection) for objection in finding.against),
        *(("source", source) for source in finding.sources),
    ]
    return element("dl", *(joined([element("dt", label), element("dd", text)]) for label, text in facts))


def _shown_sample(sample: ShownSample, run: Run) -> Markup:
    rows = run.samples.at(sample.step)
    body = dialogue(rows[sample.row]) if sample.row < len(rows) else element("pre", sample.quote)
    return element("div", element("p", sample_caption(sample), class_="muted"), body)


def _evidence(outcome: Outcome) -> Markup:
    """The points that made a rule fire, as a table: the text alternative of the curve."""
    evidence = outcome.evidence
    points = zip(evidence.steps.tolist(), evidence.values.tolist(), strict=True)
    rows = [(str(step), format_value(float(value))) for step, value in points]
    return collapsible(f"Points of {outcome.rule}", table(("Step", outcome.tag or outcome.metric), rows))


def _curves(title: str, chosen: Sequence[Series], diagnosis: Diagnosis, numbers: Iterator[int]) -> Markup:
    figures = [_figure(series, diagnosis, numbers) for series in chosen if len(series)]
    if not figures:
        return Markup("")
    return element("section", element("h2", title), element("div", *figures, class_="charts"))


def _figure(series: Series, diagnosis: Diagnosis, numbers: Iterator[int]) -> Markup:
    healthy = series.metric.healthy if series.metric else ""
    caption = " · ".join(filter(None, (series.tag, healthy, series.caveat)))
    return element(
        "figure",
        element("figcaption", element("b", series_title(series)), f" {last_value(series)}", element("br"), caption),
        curve_svg(series, diagnosis.outcomes, next(numbers)),
    )


def _preflight(diagnosis: Diagnosis) -> Markup:
    """The settings worth a look; they do not change the verdict."""
    found = diagnosis.settings_findings
    if not found:
        return Markup("")
    rows = [(_sign(outcome.severity or "info"), outcome.rule, message_text(outcome.message)) for outcome in found]
    note = element("p", "Of the configuration alone; it does not change the verdict.", class_="muted")
    return element("section", element("h2", "Settings worth a look"), note, table(("How bad", "Check", "What"), rows))


def _checks(diagnosis: Diagnosis) -> Iterator[Markup]:
    spots = diagnosis.blind_spots
    yield element("h2", "Checks")
    if spots:
        rows = [(outcome.rule, message_text(outcome.message), message_text(outcome.enable)) for outcome in spots]
        yield collapsible(f"Could not be checked ({len(spots)})", table(("Check", "Why", "To enable"), rows))
    quiet = [outcome for outcome in diagnosis.outcomes if outcome.verdict is Verdict.QUIET]
    measured = [(outcome.rule, outcome.tag or outcome.metric, *_numbers(outcome)) for outcome in quiet]
    yield collapsible(f"Checked, nothing found ({len(quiet)})", table(("Check", "Metric", "Worst", "Limit"), measured))
    if reasons := rules_by_reason(diagnosis.not_applicable):
        rows = [(", ".join(rules), reason, "") for reason, rules in reasons.items()]
        title = f"Does not apply here ({len(diagnosis.not_applicable)})"
        yield collapsible(title, table(("Checks", "Why"), [row[:2] for row in rows]))


def _numbers(outcome: Outcome) -> tuple[str, str]:
    values = (outcome.measured, outcome.limit)
    worst, limit = ("" if value is None else value_with_unit(value, outcome.unit) for value in values)
    return worst, limit


def _more_metrics(diagnosis: Diagnosis, numbers: Iterator[int]) -> Markup:
    """Every other curve, and all series as numbers: the text alternative of the curves."""
    every = [series for series in diagnosis.run.series.values() if len(series)]
    if not every:
        return Markup("")
    more = other_series(diagnosis.run)
    drawn = [_figure(series, diagnosis, numbers) for series in more[:_MOST_CURVES]]
    left = len(more) - len(drawn)
    note = f"{counted(left, 'more curve')} of this run: in figures only." if left else ""
    return element(
        "section",
        element("h2", "All metrics"),
        collapsible(f"Other curves ({len(drawn)})", element("div", *drawn, class_="charts"), element("p", note)),
        collapsible(f"In figures ({len(every)})", _in_figures(every)),
    )


def _in_figures(every: Iterable[Series]) -> Markup:
    titles = ("Logged as", "Metric", "Points", "First", "Last", "Least", "Most", "NaN or infinite")
    return table(titles, [_figures_of(series) for series in every])


def _figures_of(series: Series) -> tuple[str, ...]:
    finite = series.values[series.finite]
    ends = [format_value(float(value)) for value in (series.values[0], series.values[-1])]
    bounds = [format_value(float(value)) for value in (finite.min(), finite.max())] if len(finite) else ["", ""]
    return (series.tag, series_title(series), f"{len(series):,}", *ends, *bounds, f"{len(series) - len(finite):,}")


def _config(run: Run) -> Markup:
    if not run.config:
        return Markup("")
    rows = [(name, format_setting(value)) for name, value in sorted(run.config.items())]
    return element(
        "section",
        element("h2", "Configuration"),
        collapsible(counted(len(rows), "setting"), table(("Setting", "Value"), rows)),
    )


def _data(diagnosis: Diagnosis) -> Markup:
    """The quality of the log, and where it was read from."""
    run = diagnosis.run
    sources = [f"{source.format}: {source.path}" for source in run.sources]
    tags = ", ".join(run.data_health.unmapped_tags)
    lines = [
        data_line(diagnosis.run.data_health),
        *sources,
        *run.notes,
        *([f"Outside the vocabulary: {tags}"] if tags else []),
    ]
    return element("section", element("h2", "Data"), *(element("p", line, class_="muted") for line in lines))


def _sign(verdict: str) -> Markup:
    """A verdict as a shape and a word, never by colour alone."""
    return element("span", f"{VERDICT_SHAPES.get(verdict, '○')} {verdict_word(verdict)}", class_=f"sign {verdict}")
