"""The stages of every step as a stacked band over the steps of a run, in seconds."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import plotly.graph_objects as go

from app.figures.plotly_layout import layout, step_line
from app.theme import Palette
from diagnostics.curves.downsample import Indices, downsample
from diagnostics.curves.scale import Scale
from diagnostics.language import _
from diagnostics.model.series import Series, Steps, Values
from diagnostics.time_budget.budget import TimeBudget
from diagnostics.time_budget.stages import OTHER, TITLES

HEIGHT = 260  # pixels
_HOVER = "%{fullData.name}: <b>%{y:.3~g} s</b><extra></extra>"
_SECONDS = {"type": "linear", "rangemode": "tozero", "fixedrange": True}  # as in every chart, steps alone are zoomed
_LEGEND = {"orientation": "h", "x": 0, "y": 1.02, "yanchor": "bottom", "traceorder": "normal"}


def time_band(
    budget: TimeBudget,
    palette: Palette,
    *,
    chosen_step: int | None = None,
    window: tuple[float, float] | None = None,
) -> go.Figure:
    """Draw the stages of each step on top of each other, the largest at the bottom, and the whole step as a line.

    Bars touch, so that a step whose stages are not all known leaves a hole. Of a long run those steps are drawn at
    which a stage or the whole is the smallest or the largest of its stretch: every spike and every gap is in view.
    Those in `window`, the steps that the charts of the page are zoomed to, are drawn as finely as the whole run is.
    """
    chosen = _drawn(budget, window)
    steps = budget.steps[chosen]
    whole = Series("step_time", "step_time", steps, budget.step_seconds[chosen])
    scale = Scale.of(np.append(whole.values, 0.0), [])
    colours = _colours(budget.shares, palette)
    bars = [_bar(name, steps, budget.seconds[name][chosen], colours[name]) for name in budget.shares]
    base = layout(whole, palette, scale)
    return go.Figure(
        data=[*bars, _whole(whole, palette)],
        layout={
            **base,
            "height": HEIGHT,
            "barmode": "stack",
            "bargap": 0,
            "showlegend": True,
            "legend": {**_LEGEND, "font": {"size": 11, "color": palette.ink}},
            "hovermode": "x unified",
            "uirevision": "time",
            "yaxis": {**base["yaxis"], **_SECONDS, "title": {"text": _("seconds")}},
            "shapes": step_line(chosen_step, palette),
        },
    )


def _drawn(budget: TimeBudget, window: tuple[float, float] | None) -> Indices:
    """Which steps to draw: the union of what each stage and the whole need, over the whole run and in the window."""
    every = [budget.step_seconds, *budget.seconds.values()]
    first, last = np.searchsorted(budget.steps, window or (0, 0))
    parts = [slice(None), slice(max(first - 1, 0), last + 1)] if window else [slice(None)]
    numbers = np.arange(len(budget.steps), dtype=np.int64)
    return np.unique(np.concatenate([numbers[part][downsample(values[part])] for part in parts for values in every]))


def _colours(shares: Mapping[str, float], palette: Palette) -> Mapping[str, str]:
    """A colour for each stage; the last ones are shared by stages that take hardly any time, and the rest is palest."""
    *shades, palest = palette.stages
    named = [name for name in shares if name != OTHER]
    return {OTHER: palest, **{name: shades[min(index, len(shades) - 1)] for index, name in enumerate(named)}}


def _bar(name: str, steps: Steps, seconds: Values, colour: str) -> go.Bar:
    widths = np.diff(steps, append=steps[-1] + 1) if len(steps) else steps
    marker: dict[str, Any] = {"color": colour, "line": {"width": 0}}
    return go.Bar(x=steps, y=seconds, width=widths, offset=0, name=_(TITLES[name]), marker=marker, hovertemplate=_HOVER)


def _whole(step: Series, palette: Palette) -> go.Scatter:
    return go.Scatter(
        x=step.steps,
        y=step.values,
        mode="lines",
        line={"color": palette.ink, "width": 1, "shape": "hv"},
        connectgaps=False,
        name=_("whole step"),
        hovertemplate=_HOVER,
    )
