"""All metrics of a run at one step as rows of words: the value as logged, its change, what is healthy."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from diagnostics.curves.selection import logged_series
from diagnostics.language import _
from diagnostics.model.messages import format_value
from diagnostics.model.outcome import Outcome
from diagnostics.model.run import Run
from diagnostics.model.series import Series
from diagnostics.visible_text import one_line
from diagnostics.wording.series import series_title

NOT_LOGGED = "–"
_DIGITS = 6  # of a raw value


@dataclass(frozen=True, slots=True)
class Row:
    """One metric at a step; `is_finite` is False for NaN and ±Inf, beside which `more` tells the last finite value."""

    name: str
    title: str
    value: str
    is_finite: bool
    more: str
    first: str
    change: str
    healthy: str
    unit: str
    tag: str


def metric_rows(run: Run, outcomes: Sequence[Outcome], step: int | None) -> list[Row]:
    """Every metric that the run logs or a rule derived, the crucial ones first; without a step at each one's newest."""
    return [_row(series, step) for series in logged_series(run, outcomes)]


def _row(series: Series, step: int | None) -> Row:
    index = _index(series, step)
    value = None if index is None else float(series.values[index])
    first = float(series.values[0])
    return Row(
        name=one_line(series.name),
        title=one_line(series_title(series)),
        value=NOT_LOGGED if value is None else _raw(value),
        is_finite=value is None or math.isfinite(value),
        more=_more(series, index, step),
        first=format_value(first),
        change=_change(first, value),
        healthy=_(series.metric.healthy) if series.metric else "",
        unit=_(series.unit),
        tag=_("derived") if series.derivation else one_line(series.tag),
    )


def _raw(value: float) -> str:
    """A value as it was logged, as far as six digits tell it."""
    if not math.isfinite(value):
        return format_value(value)
    return f"{value:.{_DIGITS}g}".replace("-", "−")


def _index(series: Series, step: int | None) -> int | None:
    """Where the step stands; the last point without one, None where the step was not logged."""
    if step is None:
        return len(series) - 1
    index = int(series.steps.searchsorted(step))
    return index if index < len(series) and series.steps[index] == step else None


def _more(series: Series, index: int | None, step: int | None) -> str:
    """Beside what is no number the last one before it; beside an old value its step; where nothing was logged, when."""
    before = int(series.steps.searchsorted(step)) if index is None and step is not None else index or 0
    if index is not None and math.isfinite(series.values[index]):
        return "" if step is not None else _("at {step}").format(step=series.steps[index])
    finite = series.finite[:before].nonzero()[0]
    if not len(finite):
        return _("never finite before") if index is not None else ""
    last = int(finite[-1])
    words = _("last finite {value} at {step}") if index is not None else _("last {value} at {step}")
    return words.format(value=_raw(float(series.values[last])), step=series.steps[last])


def _change(first: float, value: float | None) -> str:
    if value is None or not math.isfinite(value - first):
        return ""
    difference = value - first
    sign = "+" if difference > 0 else ""
    share = f", {sign}{format_value(100 * difference / abs(first))} %" if first and difference else ""
    return f"{sign}{format_value(difference)}{share}" if difference else _("unchanged")
