"""One metric over the steps of a run, as data for the browser: words, limits, findings and curves; no points."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal

from diagnostics.curves.episodes import Shade, not_finite_in_words, shades
from diagnostics.curves.limits import drawn_limits, reached_limits
from diagnostics.curves.scale import Kind, Scale
from diagnostics.language import _
from diagnostics.model.messages import format_value
from diagnostics.model.outcome import Outcome
from diagnostics.model.run import Run
from diagnostics.model.series import Series
from diagnostics.visible_text import one_line
from diagnostics.wording.findings import in_words
from diagnostics.wording.series import (
    SUBJECT_SEPARATOR,
    caveat_text,
    chart_description,
    derivation_sentence,
    series_title,
)
from diagnostics.wording.severities import VERDICT_SHAPES

Style = Literal["line", "thin", "band", "ghost", "faint", "diamonds"]


@dataclass(frozen=True, slots=True)
class Trace:
    """One curve of a chart: whose points the browser asks for, and how it is drawn.

    `run` is the run's path, `colour` the name of one of the palette's colours ("runs/3": the fourth of those for runs),
    `points` the number that the series has; `words` stand at the curve's end. A band is the mean and range over `run`
    and `others`. Of a chart's traces the first is the one that the cursor reads.
    """

    run: str
    series: str
    points: int
    style: Style = "line"
    colour: str = "line"
    replaced: bool = False
    words: str = ""
    dash: tuple[int, ...] = ()
    others: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Limit:
    """A limit line in the metric's unit."""

    value: float
    words: str


@dataclass(frozen=True, slots=True)
class Episode:
    """Steps to shade, both included, with the finding's sign and short name."""

    first: int
    last: int
    severity: str
    shape: str
    words: str


@dataclass(frozen=True, slots=True)
class Curve:
    """A chart: its words as plain text, and what is drawn in it.

    `last` is the last value as logged, `read` what stands beneath it: the value at the chosen step, or the last finite
    one where the last is none. `at` is the value at the chosen step, None where there is no finite one. Of the limits
    those in `reached` are told even where they are out of view. From the steps in `resumed` on another attempt logged.
    `words` are the text alternative of the whole chart; an overlay has a curve for each of several runs.
    """

    name: str
    title: str
    last: str
    is_finite: bool
    unit: str
    note: str
    read: str
    at: float | None
    scale: Kind
    traces: tuple[Trace, ...]
    limits: tuple[Limit, ...]
    reached: tuple[float, ...]
    episodes: tuple[Episode, ...]
    words: str
    resumed: tuple[int, ...] = ()
    is_overlay: bool = False

    def as_json(self) -> Mapping[str, Any]:
        """The form that the browser gets."""
        return asdict(self)


def curve(
    run: Run,
    series: Series,
    outcomes: Sequence[Outcome],
    *,
    chosen_step: int | None = None,
    held_out: Series | None = None,
    ghost: Run | None = None,
) -> Curve:
    """The chart of a series with the outcomes that judge it.

    `held_out` is the same metric of the evaluations, `ghost` a run to draw behind it.
    """
    judging = [outcome for outcome in outcomes if outcome.metric == series.name]
    limits = drawn_limits(series, judging)
    at = _value_at(series, chosen_step)
    last = float(series.values[-1]) if len(series) else math.nan
    shaded = shades(series, outcomes, run)
    return Curve(
        name=series.name,
        title=one_line(_title(series)),
        last=format_value(last) if len(series) else _("no data"),
        is_finite=math.isfinite(last) or not len(series),
        unit=one_line(_unit(series, held_out, shaded)),
        note=one_line(_note(series)),
        read=_read(series, chosen_step, at),
        at=at if at is not None and math.isfinite(at) else None,
        scale=Scale.of(series.values, limits).kind,
        traces=(*_traces(run, series, held_out), *ghosts(ghost, series.name)),
        limits=tuple(Limit(limit, _("limit {value}").format(value=format_value(limit))) for limit in limits),
        reached=tuple(reached_limits(judging, limits)),
        episodes=tuple(
            Episode(shade.first, shade.last, shade.severity, VERDICT_SHAPES[shade.severity], _episode_words(shade))
            for shade in shaded
        ),
        words=one_line(chart_description(series, outcomes, held_out)) if len(series) else _("no data"),
        resumed=run.resumed_after,
    )


def ghosts(ghost: Run | None, name: str) -> tuple[Trace, ...]:
    """The curve of a reference, where it logs the metric."""
    series = ghost.get(name) if ghost is not None else None
    if ghost is None or series is None:
        return ()
    words = one_line(ghost.name.removesuffix(f"-{ghost.algorithm}"))
    return (Trace(str(ghost.path), name, len(series), "ghost", "muted", words=words),)


def _title(series: Series) -> str:
    """The metric's title; a reward function is called by its own name."""
    title, _separator, about = series_title(series).partition(SUBJECT_SEPARATOR)
    return about or title


def _unit(series: Series, held_out: Series | None, shaded: Sequence[Shade]) -> str:
    """The line beneath the title: the unit, what a healthy curve does, and what no shade says of this one."""
    title, _separator, about = series_title(series).partition(SUBJECT_SEPARATOR)
    unusual = _("not quite the usual meaning") if series.caveat else ""
    special = _("derived, not logged") if series.derivation else unusual
    held = _("◇ held out {value}")
    evaluated = "" if held_out is None else held.format(value=format_value(float(held_out.values[-1])))
    healthy = _(series.metric.healthy) if series.metric else ""
    counted = not_finite_in_words(series)
    parts = (
        title if about else "",
        _(series.unit),
        healthy,
        "" if counted in {shade.what for shade in shaded} else counted,
        evaluated,
        special,
    )
    return " · ".join(filter(None, parts))


def _note(series: Series) -> str:
    return derivation_sentence(series.name, series.derivation) if series.derivation else caveat_text(series)


def _value_at(series: Series, step: int | None) -> float | None:
    if step is None:
        return None
    index = int(series.steps.searchsorted(step))
    return float(series.values[index]) if index < len(series) and series.steps[index] == step else None


def _read(series: Series, step: int | None, at: float | None) -> str:
    finite = series.finite
    if at is not None and (math.isfinite(at) or finite[-1]):
        return _("at {step}: {value}").format(step=step, value=format_value(at))
    if len(series) and finite.any() and not finite[-1]:
        index = int(finite.nonzero()[0][-1])
        words = _("last finite {value} at {step}")
        return words.format(value=format_value(float(series.values[index])), step=series.steps[index])
    return "" if step is None else _("at {step}: not logged").format(step=step)


def _traces(run: Run, series: Series, held_out: Series | None) -> tuple[Trace, ...]:
    path = str(run.path)
    traces = [Trace(path, series.name, len(series))]
    if count := len(series.replaced_steps):
        traces.append(Trace(path, series.name, count, "faint", "muted", replaced=True))
    if held_out is not None:
        traces.append(Trace(path, held_out.name, len(held_out), "diamonds", "ink"))
    return tuple(traces)


def _episode_words(shade: Shade) -> str:
    """ "truncation high · 23–60", "NaN ×3 · 41–43"."""
    return f"{in_words(shade.what)} · {shade.steps}"
