"""The answer to a chart: the points of its window, or those that a series has gained since the last answer."""

from dataclasses import dataclass, field

import numpy as np

from app.charts.question import Mark, Question, Wanted
from diagnostics.curves.axes import places_on
from diagnostics.curves.smoothing import trailing_mean
from diagnostics.curves.window import PER_COLUMN, Indices, points_in_window
from diagnostics.model.run import Run
from diagnostics.model.series import NO_STEPS, NO_VALUES, Series, Steps, Values


@dataclass(frozen=True, slots=True)
class Points:
    """The points of one curve to draw, in their order.

    places (K,) on the horizontal axis · steps (K,) · values (K,) raw, NaN and ±Inf kept · smoothed (K,), or empty ·
    low, high (K,) the range around a mean, or empty.
    `adds`: they follow those of the last answer instead of taking their place. `mark` tells the next question what the
    chart has; None for a series that may change as a whole. `count` is the number of points that the series has, and
    `newest` the value of the last one.
    """

    places: Values
    steps: Steps
    values: Values
    smoothed: Values
    adds: bool
    mark: Mark | None
    count: int
    newest: float | None = None
    low: Values = field(default_factory=lambda: NO_VALUES)
    high: Values = field(default_factory=lambda: NO_VALUES)


def nothing() -> Points:
    """The answer for a curve that there is not."""
    return Points(NO_VALUES, NO_STEPS, NO_VALUES, NO_VALUES, adds=False, mark=None, count=0)


def points_of(run: Run, wanted: Wanted, question: Question) -> Points:
    """The points of one curve; none for a series that the run does not have."""
    series = run.get(wanted.series)
    if series is None:
        return nothing()
    if wanted.replaced:
        series = Series(series.name, series.tag, series.replaced_steps, series.replaced_values)
    known = _known(series, wanted, question)
    new = _from(series, known)
    places = places_on(question.axis, new, run)
    chosen = np.arange(len(new)) if known else in_window(places, new.values, question)
    return Points(
        places[chosen],
        new.steps[chosen],
        new.values[chosen],
        _smoothed(series, known, question.smoothing)[chosen] if question.smoothing > 1 else NO_VALUES,
        adds=known > 0,
        mark=_mark(series, wanted),
        count=len(series),
        newest=float(series.values[-1]) if len(series) else None,
    )


def _known(series: Series, wanted: Wanted, question: Question) -> int:
    """How many points of the series the chart has and may keep; 0 where it must have all anew."""
    mark = wanted.since
    if mark is None or question.axis != "step" or len(series) < mark.points or series.derivation or wanted.replaced:
        return 0
    is_same = int(series.steps[mark.points - 1]) == mark.last_step and len(series.replaced_steps) == mark.replaced
    few = len(series) - mark.points <= PER_COLUMN * question.columns
    return mark.points if is_same and few else 0


def _from(series: Series, known: int) -> Series:
    """The series without its first `known` points."""
    times = series.times[known:] if len(series.times) else series.times
    return Series(series.name, series.tag, series.steps[known:], series.values[known:], times)


def in_window(places: Values, values: Values, question: Question) -> Indices:
    """Which points to draw in the window of a question."""
    if not len(places):
        return np.arange(0, dtype=np.int64)
    first, last = max(question.first, places[0]), min(question.last, places[-1])
    return points_in_window(places, values, first, last, question.columns)


def _smoothed(series: Series, known: int, most: int) -> Values:
    """The smoothed values from the first new one on; earlier ones are looked at only as far as they count."""
    before = max(known - most + 1, 0)
    return trailing_mean(series.values[before:], most)[known - before :]


def _mark(series: Series, wanted: Wanted) -> Mark | None:
    if not len(series) or series.derivation or wanted.replaced:
        return None
    return Mark(len(series), int(series.steps[-1]), len(series.replaced_steps))
