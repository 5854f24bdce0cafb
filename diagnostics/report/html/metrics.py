"""The metrics of a run in the HTML form: their curves, and all of them in figures."""

from collections.abc import Iterable, Iterator, Sequence

from diagnostics.curves.selection import other_series
from diagnostics.language import N_, _
from diagnostics.model.diagnosis import Diagnosis
from diagnostics.model.messages import format_value
from diagnostics.model.series import Series
from diagnostics.report.html.curve import curve_svg
from diagnostics.report.html.elements import Markup, collapsible, element, table
from diagnostics.wording.series import caveat_text, derivation_sentence, last_value, series_title
from diagnostics.wording.values import counted

_MOST_CURVES = 60  # besides the crucial ones: a run may log thousands of tags


def curves(title: str, chosen: Sequence[Series], diagnosis: Diagnosis, numbers: Iterator[int]) -> Markup:
    """A section of these curves; nothing where none has a point."""
    figures = [figure(series, diagnosis, numbers) for series in chosen if len(series)]
    if not figures:
        return Markup("")
    return element("section", element("h2", title), element("div", *figures, class_="charts"))


def figure(series: Series, diagnosis: Diagnosis, numbers: Iterator[int]) -> Markup:
    """One curve with its title, last value and meaning; `numbers` are those of the pictures on the page."""
    healthy = _(series.metric.healthy) if series.metric else ""
    derived = derivation_sentence(series.name, series.derivation) if series.derivation else ""
    caption = " · ".join(filter(None, (derived or series.tag, healthy, caveat_text(series))))
    return element(
        "figure",
        element("figcaption", element("b", series_title(series)), f" {last_value(series)}", element("br"), caption),
        curve_svg(series, diagnosis.outcomes, next(numbers)),
    )


def more_metrics(diagnosis: Diagnosis, numbers: Iterator[int]) -> Markup:
    """Every other curve, and all series as numbers: the text alternative of the curves."""
    every = [series for series in diagnosis.run.series.values() if len(series)]
    if not every:
        return Markup("")
    more = other_series(diagnosis.run, diagnosis.outcomes)
    drawn = [figure(series, diagnosis, numbers) for series in more[:_MOST_CURVES]]
    left = len(more) - len(drawn)
    note = _("{curves} of this run: in figures only.").format(curves=counted(left, "more curve")) if left else ""
    return element(
        "section",
        element("h2", _("All metrics")),
        collapsible(
            _("Other curves ({count})").format(count=len(drawn)),
            element("div", *drawn, class_="charts"),
            element("p", note),
        ),
        collapsible(_("In figures ({count})").format(count=len(every)), _in_figures(every)),
    )


def _in_figures(every: Iterable[Series]) -> Markup:
    titles = (
        N_("Logged as"),
        N_("Metric"),
        N_("Points"),
        N_("First"),
        N_("Last"),
        N_("Least"),
        N_("Most"),
        N_("NaN or infinite"),
    )
    return table(tuple(map(_, titles)), [_figures_of(series) for series in every])


def _figures_of(series: Series) -> tuple[str, ...]:
    finite = series.values[series.finite]
    ends = [format_value(float(value)) for value in (series.values[0], series.values[-1])]
    bounds = [format_value(float(value)) for value in (finite.min(), finite.max())] if len(finite) else ["", ""]
    return (series.tag, series_title(series), f"{len(series):,}", *ends, *bounds, f"{len(series) - len(finite):,}")
