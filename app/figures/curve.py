"""One metric over the steps of a run: its curve, its limits, and its non-finite values."""

import html
from collections.abc import Sequence
from typing import Any

import numpy as np
import plotly.graph_objects as go

from app.figures.rug import has_words_on_the_right, rug
from app.theme import FONT, Palette
from diagnostics.curves.downsample import downsample
from diagnostics.curves.limits import drawn_limits, reached_limits
from diagnostics.curves.scale import Scale
from diagnostics.model.messages import format_value
from diagnostics.model.outcome import Outcome
from diagnostics.model.series import NO_VALUES, Series, Values
from diagnostics.visible_text import one_line
from diagnostics.wording.series import FUNCTION_SEPARATOR, series_title

HEIGHT = 200  # pixels
_FEW_POINTS = 40  # up to here each point is marked
_SHADE = 0.14
_RUG_WORDS = 0.25  # of the axis, from below, in which the rug says how many NaN there are
_WORD_ROOM = 0.12  # of the axis: what the words on a limit's line need above it
_TICKS = 6  # of the steps
_NUMBERS = {"exponentformat": "e", "minexponent": 4}
_MARGIN = {"l": 50, "r": 12, "t": 50, "b": 24}


def curve(
    series: Series,
    outcomes: Sequence[Outcome],
    palette: Palette,
    *,
    chosen_step: int | None = None,
    held_out: Series | None = None,
) -> go.Figure:
    """Draw a series with the outcomes that judge it.

    A limit in view is a dashed line; one out of view is labelled only if it was reached. The steps of a finding are
    shaded. NaN and ±Inf break the curve and are marked on a rug at the bottom and the top. Hovering shows raw values.
    `held_out` is the same metric of the evaluations, drawn as diamonds.
    """
    judging = [outcome for outcome in outcomes if outcome.metric == series.name]
    limits = drawn_limits(series, judging)
    evaluated = NO_VALUES if held_out is None else held_out.values
    more = "" if held_out is None else f"◇ held out {format_value(float(held_out.values[-1]))}"
    scale = Scale.of(np.concatenate([series.values, evaluated]), limits)
    traces = [
        _replaced_points(series, palette),
        _line(series, palette),
        _held_out(held_out, palette),
        *rug(series, palette),
    ]
    return go.Figure(
        data=[trace for trace in traces if trace is not None],
        layout={
            **layout(series, palette, scale),
            "shapes": _shapes(judging, limits, scale, palette, chosen_step),
            "annotations": [
                *heading(series, palette, scale, more),
                *_limit_words(series, judging, limits, scale, palette),
            ],
        },
    )


def _line(series: Series, palette: Palette) -> go.Scatter:
    chosen = downsample(series.values)
    values = series.values[chosen]
    return go.Scatter(
        x=series.steps[chosen],
        y=np.where(np.isfinite(values), values, np.nan),
        mode="lines+markers",
        line={"color": palette.line, "width": 1.5},
        marker={"color": palette.line, "size": _marker_sizes(values), "line": {"width": 0}},
        connectgaps=False,
        name="value",
        hovertemplate="<b>%{y:.6~g}</b><extra></extra>",
    )


def _marker_sizes(values: Values) -> Values:
    """Marks every point of a short series; of a long one only single points between gaps, which no line shows."""
    finite = np.concatenate([[False], np.isfinite(values), [False]])
    is_alone = finite[1:-1] & ~finite[:-2] & ~finite[2:]
    return np.where(is_alone | (len(values) <= _FEW_POINTS), 4.0, 0.0)


def _held_out(series: Series | None, palette: Palette) -> go.Scatter | None:
    """The evaluations, which are few: a diamond each."""
    if series is None:
        return None
    return go.Scatter(
        x=series.steps,
        y=np.where(series.finite, series.values, np.nan),
        mode="lines+markers",
        line={"color": palette.ink, "width": 1, "dash": "dot"},
        marker={"color": palette.ink, "symbol": "diamond-open", "size": 7},
        name="held out",
        hovertemplate="%{y:.6~g}, held out<extra></extra>",
    )


def _replaced_points(series: Series, palette: Palette) -> go.Scatter | None:
    """The points that a resumed run logged again: faint, so that the first attempt stays visible."""
    if not len(series.replaced_steps):
        return None
    return go.Scatter(
        x=series.replaced_steps,
        y=series.replaced_values,
        mode="markers",
        marker={"color": palette.muted, "size": 4, "opacity": 0.4},
        name="replaced",
        hovertemplate="%{y:.6~g}, logged again later<extra></extra>",
    )


def layout(series: Series, palette: Palette, scale: Scale) -> dict[str, Any]:
    """Everything of the layout but the marks.

    A constant uirevision keeps the zoom when data arrives. Setting a range would reset the zoom, so Plotly chooses the
    ranges and only gets the values to include.
    """
    axis = {"autorange": True, "gridcolor": palette.grid, "zeroline": False, "linecolor": palette.grid, "ticks": ""}
    include = {"include": [scale.low, scale.high]} if scale.kind == "linear" else {}
    return {
        "template": "none",
        "height": HEIGHT,
        "margin": _MARGIN,
        "font": {"family": FONT, "size": 10, "color": palette.muted},
        "paper_bgcolor": "rgba(0,0,0,0)",
        "plot_bgcolor": "rgba(0,0,0,0)",
        "showlegend": False,
        "hovermode": "x",
        "hoverlabel": {"bgcolor": palette.surface, "font": {"color": palette.ink, "family": FONT, "size": 11}},
        "uirevision": series.name,
        "dragmode": "zoom",
        "xaxis": {**axis, **_step_ticks(series), "showgrid": False},
        "yaxis": {**axis, "type": scale.kind, "autorangeoptions": include, "nticks": 5, **_NUMBERS},
        "yaxis2": {"overlaying": "y", "range": [0, 1], "visible": False, "fixedrange": True},
    }


def _step_ticks(series: Series) -> dict[str, Any]:
    """About six ticks; one per step if there are few, since nothing lies between two steps."""
    span = int(series.steps[-1] - series.steps[0]) if len(series) else 0
    return {"tickformat": "~f", **({"dtick": 1} if span < _TICKS else {"nticks": _TICKS})}


def heading(series: Series, palette: Palette, scale: Scale, more: str = "") -> list[dict[str, Any]]:
    """The metric's name and last value; below it the unit, its healthy range, a log scale, and `more`."""
    name, _, function = series_title(series).partition(FUNCTION_SEPARATOR)
    value = format_value(float(series.values[-1])) if len(series) else "no data"
    healthy = series.metric.healthy if series.metric else ""
    log = "log scale" if scale.kind == "log" else ""
    below = " · ".join(filter(None, (name if function else "", series.unit, healthy, log, more)))
    place = {"xref": "paper", "yref": "paper", "x": 0, "y": 1, "xanchor": "left", "yanchor": "bottom"}
    place |= {"showarrow": False, "xshift": -_MARGIN["l"] + 2}
    top = f"<b>{_plain(function or name)}</b>  {_plain(value)}"
    return [
        {**place, "text": top, "yshift": 23, "font": {"size": 12.5, "color": palette.ink}},
        {**place, "text": _plain(below), "yshift": 9, "font": {"size": 11, "color": palette.muted}},
    ]


def _plain(text: str) -> str:
    """Text in which Plotly finds none of the HTML that it knows."""
    return html.escape(one_line(text), quote=False)


def _shapes(
    judging: Sequence[Outcome], limits: Sequence[float], scale: Scale, palette: Palette, chosen_step: int | None
) -> list[dict[str, Any]]:
    return [*_episodes(judging, palette), *_limit_lines(limits, scale, palette), *step_line(chosen_step, palette)]


def _episodes(judging: Sequence[Outcome], palette: Palette) -> list[dict[str, Any]]:
    """A shade over each episode of each finding."""
    return [
        {
            "type": "rect",
            "xref": "x",
            "yref": "paper",
            "x0": episode.first_step - 0.5,
            "x1": episode.last_step + 0.5,
            "y0": 0,
            "y1": 1,
            "fillcolor": palette.of(episode.severity),
            "opacity": _SHADE,
            "line": {"width": 0},
            "layer": "below",
            "name": "episode",
        }
        for outcome in judging
        for episode in outcome.episodes
    ]


def _limit_lines(limits: Sequence[float], scale: Scale, palette: Palette) -> list[dict[str, Any]]:
    dashed = {"color": palette.muted, "width": 1, "dash": "dash"}
    return [
        {"type": "line", "xref": "paper", "x0": 0, "x1": 1, "y0": y, "y1": y, "line": dashed, "name": "limit"}
        for y in limits
        if scale.contains(y)
    ]


def _limit_words(
    series: Series, judging: Sequence[Outcome], limits: Sequence[float], scale: Scale, palette: Palette
) -> list[dict[str, Any]]:
    """`limit 0.8` on its line; labels that would overlap share the highest one's line.

    If no limit is in view, an arrow at the edge points to the nearest one that was reached.
    """
    font = {"size": 10, "color": palette.muted}
    place = {"xref": "paper", "x": 1, "xanchor": "right", "yanchor": "bottom", "showarrow": False, "font": font}
    low = scale.on_axis(scale.low) + _RUG_WORDS * (scale.on_axis(scale.high) - scale.on_axis(scale.low))
    beside_rug = {"x": 0, "xanchor": "left"} if has_words_on_the_right(series) else {}
    if in_view := [y for y in limits if scale.contains(y)]:
        return [
            {
                **place,
                **(beside_rug if y < low else {}),
                "text": f"limit {' · '.join(map(format_value, close))}",
                "y": y,
            }
            for close in _side_by_side(in_view, scale)
            for y in [scale.on_axis(close[-1])]
        ]
    reached = reached_limits(judging, limits)
    if above := [y for y in reached if y > scale.high]:
        return [{**place, "text": f"limit {format_value(above[0])} ↑", "yref": "paper", "y": 1}]
    return [{**place, "text": f"limit {format_value(y)} ↓", "yref": "paper", "y": 0} for y in reached[-1:]]


def _side_by_side(limits: Sequence[float], scale: Scale) -> list[list[float]]:
    """Ascending limits, grouped where their labels would overlap."""
    room = _WORD_ROOM * (scale.on_axis(scale.high) - scale.on_axis(scale.low))
    together: list[list[float]] = []
    for limit in limits:
        if together and scale.on_axis(limit) - scale.on_axis(together[-1][-1]) < room:
            together[-1].append(limit)
        else:
            together.append([limit])
    return together


def step_line(chosen_step: int | None, palette: Palette) -> list[dict[str, Any]]:
    """A thin line at the step chosen for the whole page, if any."""
    if chosen_step is None:
        return []
    place = {"x0": chosen_step, "x1": chosen_step, "yref": "paper", "y0": 0, "y1": 1}
    return [{"type": "line", **place, "line": {"color": palette.muted, "width": 1}, "name": "chosen step"}]
