"""The HTML form: one file that holds everything, needs no network and no script, and can be printed or sent."""

from collections.abc import Iterable, Iterator, Sequence
from importlib.resources import files
from itertools import count

from diagnostics.curves.selection import crucial, others
from diagnostics.curves.words import last_value, name_of
from diagnostics.model.diagnosis import Diagnosis
from diagnostics.model.messages import setting, shown
from diagnostics.model.outcome import Outcome, Severity, ShownSample, Verdict
from diagnostics.model.run import Run
from diagnostics.model.series import Series
from diagnostics.report.contents import (
    Finding,
    advice,
    alternative,
    concerns,
    counted,
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
from diagnostics.report.html_elements import Markup, element, folded, joined, table
from diagnostics.report.html_samples import dialogue, newest_samples
from diagnostics.report.layout import Style
from diagnostics.report.report import Report
from diagnostics.report.since_parent import SinceParent, heading, not_found, told
from diagnostics.report.svg import curve_svg

SHAPES = {"critical": "◆", "warning": "▲", "info": "●", "healthy": "✓", "not-judged": "○"}
_WORDS = {"info": "note", "not-judged": "not judged"}
_MOST_CURVES = 60  # beyond the crucial ones, lest a run of thousands of tags makes a file that no browser opens


def render(report: Report, _style: Style) -> str:
    """The whole page: an article for each run, a list of them where there are several, and what could not be read."""
    style = files("diagnostics.report").joinpath("report.css").read_text("utf-8")
    head = element(
        "head",
        element("meta", charset="utf-8"),
        element("meta", name="viewport", content="width=device-width, initial-scale=1"),
        element("meta", name="generator", content="rlvitals"),
        element("title", _title(report)),
        element("style", Markup(style)),
    )
    numbers = count(1)
    articles = (
        _article(diagnosis, index, numbers, report.since.get(diagnosis.run.path))
        for index, diagnosis in enumerate(report.diagnoses, start=1)
    )
    body = element("body", element("main", _list_of_runs(report), *articles, _problems(report)))
    return f"<!doctype html>\n{element('html', head, body, lang='en')}"


def _title(report: Report) -> str:
    names = [f"{diagnosis.run.name}: {_word(diagnosis.verdict)}" for diagnosis in report.diagnoses]
    return names[0] if len(names) == 1 else f"rlvitals: {counted(len(names), 'run')}"


def _list_of_runs(report: Report) -> Markup:
    """Where there is more than one run: each with its verdict, its worst finding, and a link to it."""
    if len(report.diagnoses) < 2:
        return Markup("")
    rows = [
        (
            _sign(diagnosis.verdict),
            element("a", diagnosis.run.name, href=f"#run-{index}"),
            _sentence(diagnosis),
            run_line(diagnosis),
        )
        for index, diagnosis in enumerate(report.diagnoses, start=1)
    ]
    return element("nav", element("h1", _title(report)), table(("Verdict", "Run", "Why", "What it is"), rows))


def _problems(report: Report) -> Markup:
    if not report.problems:
        return Markup("")
    rows = [(problem.path, problem.error) for problem in report.problems]
    return element("section", element("h2", "Not readable"), table(("Path", "Why"), rows))


def _article(diagnosis: Diagnosis, index: int, numbers: Iterator[int], since: SinceParent | None) -> Markup:
    sections = (
        *_head(diagnosis),
        *(_finding(finding, diagnosis, numbers) for finding in findings(diagnosis)),
        *_since_parent(diagnosis.run, since),
        _curves("Crucial values", crucial(diagnosis.run), diagnosis, numbers),
        _preflight(diagnosis),
        newest_samples(diagnosis.run),
        *_checks(diagnosis),
        _more_metrics(diagnosis, numbers),
        _config(diagnosis.run),
        _data(diagnosis),
    )
    return element("article", *sections, id=f"run-{index}")


def _since_parent(run: Run, since: SinceParent | None) -> Iterator[Markup]:
    if since is not None:
        yield element("h2", heading(since))
        yield table(("What", "How it stands"), told(since))
    elif run.parent is not None:
        yield element("p", not_found(run), class_="muted")


def _head(diagnosis: Diagnosis) -> Iterator[Markup]:
    run = diagnosis.run
    yield element("h1", run.name)
    yield element("p", f"{run_line(diagnosis)} · {run.path}", class_="muted")
    yield element("p", _sign(diagnosis.verdict), " ", element("strong", _sentence(diagnosis)), class_="verdict")
    yield element("p", _counts(diagnosis), class_="muted")
    if run.status.error:
        yield element("p", f"The run ended with an error: {run.status.short_error}")
        if run.status.short_error != run.status.error:
            yield folded("The whole error", element("p", run.status.error))
    if limits := own_limits(diagnosis):
        yield element("p", f"Not the default limits: {', '.join(limits)}")


def _sentence(diagnosis: Diagnosis) -> str:
    """The verdict in a sentence: the worst finding, or what was checked."""
    found = findings(diagnosis)
    return f"{found[0].sentence} ({found[0].steps})" if found else verdict_sentence(diagnosis)


def _counts(diagnosis: Diagnosis) -> str:
    fired = [f"{n} {_word(name)}" for name in reversed(Severity) if (n := _of_severity(diagnosis.fired, name))]
    quiet = sum(outcome.verdict is Verdict.QUIET for outcome in diagnosis.outcomes)
    unchecked = counted(len(diagnosis.blind_spots), "check") + " could not run"
    return " · ".join([*fired, counted(quiet, "check") + " quiet", unchecked, data_line(diagnosis)])


def _of_severity(outcomes: Sequence[Outcome], severity: Severity) -> int:
    return sum(outcome.severity is severity for outcome in outcomes)


def _finding(finding: Finding, diagnosis: Diagnosis, numbers: Iterator[int]) -> Markup:
    """One cause with its proof: the curves that show it, what was measured, what to try, the samples."""
    names = dict.fromkeys(outcome.metric for outcome in finding.outcomes)
    proofs = [series for name in names if (series := diagnosis.run.get(name)) is not None]
    return element(
        "section",
        element("h3", _sign(finding.severity), " ", finding.sentence, " ", element("small", finding.steps)),
        _facts(finding),
        element("div", *(_figure(series, diagnosis, numbers) for series in proofs), class_="charts"),
        *(_shown_sample(sample, diagnosis.run) for sample in finding.samples),
        *(_evidence(outcome) for outcome in finding.outcomes if len(outcome.evidence.steps)),
        class_=f"finding {finding.severity}",
    )


def _facts(finding: Finding) -> Markup:
    """The proof, what to try, and what was found with it, in the order of the text form."""
    proof, *others = (f"{said(outcome.message)} [{outcome.rule}]" for outcome in finding.outcomes)
    facts = [
        ("found", proof),
        *(("try", advice(fix)) for fix in finding.fixes),
        *(("also", other) for other in others),
        *(("or", alternative(rival)) for rival in finding.rivals),
        *(("against", objection) for objection in finding.against),
        *(("source", source) for source in finding.sources),
    ]
    return element("dl", *(joined([element("dt", label), element("dd", text)]) for label, text in facts))


def _shown_sample(sample: ShownSample, run: Run) -> Markup:
    rows = run.samples.at(sample.step)
    body = dialogue(rows[sample.row]) if sample.row < len(rows) else element("pre", sample.quote)
    return element("div", element("p", exhibited(sample), class_="muted"), body)


def _evidence(outcome: Outcome) -> Markup:
    """The points that made a rule fire, as a table: what the curve shows, for those who cannot see it."""
    evidence = outcome.evidence
    points = zip(evidence.steps.tolist(), evidence.values.tolist(), strict=True)
    rows = [(str(step), shown(float(value))) for step, value in points]
    return folded(f"Points of {outcome.rule}", table(("Step", outcome.tag or outcome.metric), rows))


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
        element("figcaption", element("b", name_of(series)), f" {last_value(series)}", element("br"), caption),
        curve_svg(series, diagnosis.outcomes, next(numbers)),
    )


def _preflight(diagnosis: Diagnosis) -> Markup:
    """What the settings alone give cause to say: apart from the verdict, which they do not change."""
    found = concerns(diagnosis.preflight)
    if not found:
        return Markup("")
    rows = [(_sign(outcome.severity or "info"), outcome.rule, said(outcome.message)) for outcome in found]
    note = element("p", "Of the configuration alone; it does not change the verdict.", class_="muted")
    return element("section", element("h2", "Settings worth a look"), note, table(("How bad", "Check", "What"), rows))


def _checks(diagnosis: Diagnosis) -> Iterator[Markup]:
    spots = diagnosis.blind_spots
    yield element("h2", "Checks")
    if spots:
        rows = [(outcome.rule, said(outcome.message), enabling(outcome)) for outcome in spots]
        yield folded(f"Could not be checked ({len(spots)})", table(("Check", "Why", "To enable"), rows))
    quiet = [outcome for outcome in diagnosis.outcomes if outcome.verdict is Verdict.QUIET]
    measured = [(outcome.rule, outcome.tag or outcome.metric, *_numbers(outcome)) for outcome in quiet]
    yield folded(f"Checked, nothing found ({len(quiet)})", table(("Check", "Metric", "Worst", "Limit"), measured))
    if reasons := reasons_not_to_apply(diagnosis):
        rows = [(", ".join(rules), reason, "") for reason, rules in reasons.items()]
        title = f"Does not apply here ({len(diagnosis.not_applicable)})"
        yield folded(title, table(("Checks", "Why"), [row[:2] for row in rows]))


def _numbers(outcome: Outcome) -> tuple[str, str]:
    values = (outcome.measured, outcome.limit)
    worst, limit = ("" if value is None else number(value, outcome.unit) for value in values)
    return worst, limit


def _more_metrics(diagnosis: Diagnosis, numbers: Iterator[int]) -> Markup:
    """Every other curve, and all series in figures: the text alternative of the curves."""
    every = [series for series in diagnosis.run.series.values() if len(series)]
    if not every:
        return Markup("")
    more = others(diagnosis.run)
    drawn = [_figure(series, diagnosis, numbers) for series in more[:_MOST_CURVES]]
    left = len(more) - len(drawn)
    note = f"{counted(left, 'more curve')} of this run: in figures only." if left else ""
    return element(
        "section",
        element("h2", "All metrics"),
        folded(f"Other curves ({len(drawn)})", element("div", *drawn, class_="charts"), element("p", note)),
        folded(f"In figures ({len(every)})", _in_figures(every)),
    )


def _in_figures(every: Iterable[Series]) -> Markup:
    titles = ("Logged as", "Metric", "Points", "First", "Last", "Least", "Most", "NaN or infinite")
    return table(titles, [_figures_of(series) for series in every])


def _figures_of(series: Series) -> tuple[str, ...]:
    finite = series.values[series.finite]
    ends = [shown(float(value)) for value in (series.values[0], series.values[-1])]
    bounds = [shown(float(value)) for value in (finite.min(), finite.max())] if len(finite) else ["", ""]
    return (series.tag, name_of(series), f"{len(series):,}", *ends, *bounds, f"{len(series) - len(finite):,}")


def _config(run: Run) -> Markup:
    if not run.config:
        return Markup("")
    rows = [(name, setting(value)) for name, value in sorted(run.config.items())]
    return element(
        "section",
        element("h2", "Configuration"),
        folded(counted(len(rows), "setting"), table(("Setting", "Value"), rows)),
    )


def _data(diagnosis: Diagnosis) -> Markup:
    """What the log itself looks like, and where it was read from."""
    run = diagnosis.run
    sources = [f"{source.format}: {source.path}" for source in run.sources]
    tags = ", ".join(run.data_health.unmapped_tags)
    lines = [data_line(diagnosis), *sources, *run.notes, *([f"Outside the vocabulary: {tags}"] if tags else [])]
    return element("section", element("h2", "Data"), *(element("p", line, class_="muted") for line in lines))


def _sign(verdict: str) -> Markup:
    """A verdict as a shape and a word: never by colour alone."""
    return element("span", f"{SHAPES.get(verdict, '○')} {_word(verdict)}", class_=f"sign {verdict}")


def _word(verdict: str) -> str:
    return _WORDS.get(verdict, str(verdict))
