"""The layout that Plotly figures over the steps of a run share: heading, axes, and the chosen step."""

import html
from typing import Any

from app.theme import FONT, Palette
from diagnostics.curves.scale import Scale
from diagnostics.language import _
from diagnostics.model.messages import format_value
from diagnostics.model.series import Series
from diagnostics.visible_text import one_line
from diagnostics.wording.series import SUBJECT_SEPARATOR, series_title

HEIGHT = 200  # pixels
_TICKS = 6  # of the steps
_NUMBERS = {"exponentformat": "e", "minexponent": 4}
_MARGIN = {"l": 50, "r": 12, "t": 50, "b": 24}


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
    name, _separator, about = series_title(series).partition(SUBJECT_SEPARATOR)
    value = format_value(float(series.values[-1])) if len(series) else _("no data")
    healthy = _(series.metric.healthy) if series.metric else ""
    log = _("log scale") if scale.kind == "log" else ""
    below = " · ".join(filter(None, (name if about else "", _(series.unit), healthy, log, more)))
    place = {"xref": "paper", "yref": "paper", "x": 0, "y": 1, "xanchor": "left", "yanchor": "bottom"}
    place |= {"showarrow": False, "xshift": -_MARGIN["l"] + 2}
    top = f"<b>{_plain(about or name)}</b>  {_plain(value)}"
    return [
        {**place, "text": top, "yshift": 23, "font": {"size": 12.5, "color": palette.ink}},
        {**place, "text": _plain(below), "yshift": 9, "font": {"size": 11, "color": palette.muted}},
    ]


def beside_the_top(words: str, palette: Palette) -> dict[str, Any]:
    """One line of words above the plot, from its left edge on."""
    place = {"xref": "paper", "yref": "paper", "x": 0, "y": 1, "xanchor": "left", "yanchor": "bottom"}
    font = {"size": 11, "color": palette.muted}
    return {**place, "showarrow": False, "xshift": -_MARGIN["l"] + 2, "text": _plain(words), "font": font}


def _plain(text: str) -> str:
    """Text in which Plotly finds none of the HTML that it knows."""
    return html.escape(one_line(text), quote=False)


def step_line(chosen_step: int | None, palette: Palette) -> list[dict[str, Any]]:
    """A thin line at the step chosen for the whole page, if any."""
    if chosen_step is None:
        return []
    place = {"x0": chosen_step, "x1": chosen_step, "yref": "paper", "y0": 0, "y1": 1}
    return [{"type": "line", **place, "line": {"color": palette.muted, "width": 1}, "name": "chosen step"}]
