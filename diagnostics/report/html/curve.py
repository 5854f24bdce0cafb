"""One metric over the steps as an SVG picture: a pure function of a series and the outcomes that judge it."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from diagnostics.curves.downsample import downsample
from diagnostics.curves.limits import drawn_limits, reached_limits
from diagnostics.curves.scale import Scale
from diagnostics.language import _
from diagnostics.model.messages import format_value
from diagnostics.model.outcome import Outcome
from diagnostics.model.series import Series, Steps, Values
from diagnostics.report.html.elements import Markup, element
from diagnostics.wording.series import chart_description, series_title

WIDTH, HEIGHT = 420, 150  # in SVG user units; the page scales the picture
_LEFT, _RIGHT, _TOP, _BOTTOM = 52, 8, 12, 20  # margins for numbers and words
_COLUMNS = 300  # stretches of a long series, each drawn by its extremes
_Y_TICKS = 3
_MOST_MARKS = 200  # of non-finite values: more than fit side by side
_DOT = 1.6
_MARK = 3.5
_LEAST_SHADE = 2.0
_WORD_HEIGHT = 10


@dataclass(frozen=True, slots=True)
class _Frame:
    """Maps steps and values to the picture."""

    scale: Scale
    first: int
    last: int

    def x(self, steps: Steps | int) -> Values:
        """(N,) horizontal positions of steps; a single step is centred."""
        width = WIDTH - _LEFT - _RIGHT
        span = self.last - self.first
        share = (np.asarray(steps, dtype=np.float64) - self.first) / span if span else np.full(np.shape(steps), 0.5)
        return _LEFT + width * np.clip(share, 0.0, 1.0)

    def y(self, values: Values | float) -> Values:
        """(N,) vertical positions of values, growing downwards."""
        raw, ends = np.asarray(values, dtype=np.float64), np.array([self.scale.low, self.scale.high])
        if self.scale.kind == "log":
            with np.errstate(divide="ignore", invalid="ignore"):
                raw, ends = np.log(raw), np.log(ends)
        share = (raw - ends[0]) / ((ends[1] - ends[0]) or 1.0)
        return np.asarray(HEIGHT - _BOTTOM - (HEIGHT - _TOP - _BOTTOM) * np.clip(share, 0.0, 1.0))


def curve_svg(series: Series, outcomes: Sequence[Outcome], number: int) -> Markup:
    """The picture of a series with at least one point; `number` is unique on its page.

    Limits are dashed lines and the steps of a finding are shaded. NaN and ±Inf break the line and are marked at the
    edge. A long series is drawn by the extremes of each stretch, so that no spike is lost.
    """
    judging = [outcome for outcome in outcomes if outcome.metric == series.name]
    limits = drawn_limits(series, judging)
    frame = _Frame(Scale.of(series.values, limits), int(series.steps[0]), int(series.steps[-1]))
    return element(
        "svg",
        element("title", series_title(series), id=f"t{number}"),
        element("desc", chart_description(series, outcomes), id=f"d{number}"),
        *_shades(judging, frame),
        *_grid(frame),
        *_limits(limits, reached_limits(judging, limits), frame),
        *_line(series, frame),
        *_rug(series, frame),
        viewBox=f"0 0 {WIDTH} {HEIGHT}",
        role="img",
        aria_labelledby=f"t{number} d{number}",
    )


def _shades(judging: Sequence[Outcome], frame: _Frame) -> Iterator[Markup]:
    for episode in (episode for outcome in judging for episode in outcome.episodes):
        left, right = frame.x(episode.first_step), frame.x(episode.last_step)
        width = max(float(right - left), _LEAST_SHADE)
        yield element(
            "rect",
            class_=f"shade {episode.severity}",
            x=_coordinate(float(left)),
            y=_TOP,
            width=_coordinate(width),
            height=HEIGHT - _TOP - _BOTTOM,
        )


def _grid(frame: _Frame) -> Iterator[Markup]:
    for value in _ticks(frame.scale):
        y = _coordinate(float(frame.y(value)))
        yield element("line", class_="grid", x1=_LEFT, x2=WIDTH - _RIGHT, y1=y, y2=y)
        yield element("text", format_value(value), class_="tick", x=_LEFT - 5, y=y, dy="0.32em", text_anchor="end")
    bottom = HEIGHT - 5
    yield element("text", _("step {step}").format(step=frame.first), class_="tick", x=_LEFT, y=bottom)
    if frame.last > frame.first:
        yield element("text", str(frame.last), class_="tick", x=WIDTH - _RIGHT, y=bottom, text_anchor="end")


def _ticks(scale: Scale) -> list[float]:
    spaced = np.geomspace if scale.kind == "log" else np.linspace
    ticks = spaced(scale.low, scale.high, _Y_TICKS) if scale.high > scale.low else np.array([scale.low])
    return [float(value) for value in ticks]


def _limits(limits: Sequence[float], reached: Sequence[float], frame: _Frame) -> Iterator[Markup]:
    """A dashed line for each limit in view; if there is none, an arrow towards the nearest limit that was reached."""
    in_view = [limit for limit in limits if frame.scale.contains(limit)]
    last_word = math.inf
    for limit in in_view:
        y = float(frame.y(limit))
        yield element("line", class_="limit", x1=_LEFT, x2=WIDTH - _RIGHT, y1=_coordinate(y), y2=_coordinate(y))
        if last_word - y >= _WORD_HEIGHT:  # from below: a label that would cover the previous one is left out
            yield _limit_word(_("limit {value}").format(value=format_value(limit)), y - 3)
            last_word = y
    if in_view or not reached:
        return
    above = [limit for limit in reached if limit > frame.scale.high]
    nearest = format_value(above[0] if above else reached[-1])
    word = _("limit {value}").format(value=nearest) + (" ↑" if above else " ↓")
    yield _limit_word(word, _TOP - 3 if above else HEIGHT - _BOTTOM - 3)


def _limit_word(word: str, y: float) -> Markup:
    return element("text", word, class_="tick", x=WIDTH - _RIGHT, y=_coordinate(y), text_anchor="end")


def _line(series: Series, frame: _Frame) -> Iterator[Markup]:
    chosen = downsample(series.values, _COLUMNS)
    steps, values = series.steps[chosen], series.values[chosen]
    x, y = frame.x(steps), frame.y(np.where(np.isfinite(values), values, np.nan))
    drawn = np.isfinite(y)
    edges = np.flatnonzero(np.diff(np.concatenate([[0], drawn.astype(np.int8), [0]])))
    stretches = [slice(first, last) for first, last in edges.reshape(-1, 2)]
    lines = [_points(x[part], y[part]) for part in stretches if part.stop - part.start > 1]
    yield from (element("polyline", class_="line", points=points) for points in lines)
    alone = [part.start for part in stretches if part.stop - part.start == 1]
    yield from (element("circle", class_="dot", cx=_coordinate(x[i]), cy=_coordinate(y[i]), r=_DOT) for i in alone)


def _rug(series: Series, frame: _Frame) -> Iterator[Markup]:
    """A mark at the edge for every NaN and infinity, and how many there are."""
    floor, ceiling = HEIGHT - _BOTTOM, _TOP
    kinds = (
        ("NaN", np.isnan(series.values), floor, -1),
        ("∞", np.isposinf(series.values), ceiling, 1),
        ("−∞", np.isneginf(series.values), floor, -1),
    )
    for word, where, edge, inwards in kinds:
        if not where.any():
            continue
        x = np.unique(np.round(frame.x(series.steps[where])))[:: max(1, int(where.sum()) // _MOST_MARKS)]
        marks = (f"M{_coordinate(at)} {edge}l-{_MARK} {inwards * 2 * _MARK}h{2 * _MARK}z" for at in x)
        middle = float(x[len(x) // 2])
        anchor = "end" if middle > WIDTH - 60 else "start" if middle < _LEFT + 40 else "middle"
        below = edge + inwards * 10 + (6 if inwards > 0 else 0)
        yield element("path", class_="rug", d="".join(marks))
        count = f"{word} ×{int(where.sum())}"
        yield element("text", count, class_="rug", text_anchor=anchor, x=_coordinate(middle), y=below)


def _points(x: Values, y: Values) -> str:
    return " ".join(f"{_coordinate(left)},{_coordinate(top)}" for left, top in zip(x, y, strict=True))


def _coordinate(value: float) -> str:
    """A coordinate to a tenth of a unit: no screen resolves more."""
    return f"{value:.1f}".removesuffix(".0")
