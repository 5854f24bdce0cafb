"""The distribution of one metric: quantile bands over the steps of a run, and the bins of one step as logged."""

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import numpy.typing as npt
import plotly.graph_objects as go

from app.figures.plotly_layout import beside_the_top, heading, layout, step_line
from app.theme import Palette
from diagnostics.curves.scale import Scale
from diagnostics.language import N_, _
from diagnostics.model.histograms import Histogram, Histograms
from diagnostics.model.messages import format_value
from diagnostics.model.series import NO_STEPS, NO_VALUES, Series, Steps, Values
from diagnostics.wording.series import series_title

SHARES = (0.0, 0.05, 0.25, 0.5, 0.75, 0.95, 1.0)
_BANDS = (
    (0, 6, 0.10, N_("all")),
    (1, 5, 0.16, "90 %"),
    (2, 4, 0.24, N_("half")),
)  # lower, upper share, opacity, what it holds
_MEDIAN = 3
_MOST_STEPS = 200  # a chart is about as many pixels wide
_BINS_HEIGHT = 120  # pixels
_LEAST_WIDTH = 0.002  # of all bins together
_HOVER = N_(
    "<b>median {median}</b><br>half: {quarter} to {three_quarters}<br>90 %: {low} to {high}"
    "<br>all {count}: {least} to {most}"
)
_PLACES = {
    "median": "%{y:.4~g}",
    "quarter": "%{customdata[2]:.4~g}",
    "three_quarters": "%{customdata[3]:.4~g}",
    "low": "%{customdata[1]:.4~g}",
    "high": "%{customdata[4]:.4~g}",
    "count": "%{customdata[6]}",
    "least": "%{customdata[0]:.4~g}",
    "most": "%{customdata[5]:.4~g}",
}
_BIN_PLACES = {"count": "%{customdata[2]:.4~g}", "low": "%{customdata[0]:.4~g}", "high": "%{customdata[1]:.4~g}"}
"""Where Plotly fills in the values."""
_NO_NAME = "<extra></extra>"


def distribution(histograms: Histograms, palette: Palette, *, chosen_step: int | None = None) -> go.Figure:
    """Draw the histograms of one metric: bands of 50 %, 90 % and all of its values, and the median.

    Values are taken as uniform within a bin, so a band's edge is exact to the width of a bin; the outermost band ends
    at the smallest and the largest value. A step without a finite value leaves a gap. The steps of a long run are
    thinned evenly, without losing the first and the last.
    """
    histograms = _fewer_steps(histograms)
    quantiles_SQ = np.array([bins.quantiles(SHARES) for bins in histograms.bins])
    median = Series(histograms.name, histograms.tag, histograms.steps, quantiles_SQ[:, _MEDIAN])
    scale = Scale.of(quantiles_SQ.ravel(), [])
    bands = [
        _band(histograms.steps, quantiles_SQ[:, [low, high]], _with_opacity(palette.line, opacity), _(holds))
        for low, high, opacity, holds in _BANDS
    ]
    return go.Figure(
        data=[*bands, _median(histograms, quantiles_SQ, palette)],
        layout={
            **layout(median, palette, scale),
            "shapes": step_line(chosen_step, palette),
            "annotations": heading(median, palette, scale, _("median")),
        },
    )


def bins_at(histograms: Histograms, palette: Palette, *, chosen_step: int | None = None) -> go.Figure:
    """Draw the bins of one step, as wide as they were logged and as high as values are dense in them.

    That is the chosen step or the last one before it that has a histogram; without one, the newest.
    """
    index = _index_at(histograms, chosen_step)
    found, step = histograms.bins[index], int(histograms.steps[index])
    median = Series(histograms.name, histograms.tag, histograms.steps[index : index + 1], found.quantiles((0.5,)))
    base = layout(median, palette, Scale.of(found.edges, []))
    return go.Figure(
        data=[_bins(found, palette)],
        layout={
            **base,
            "height": _BINS_HEIGHT,
            "margin": {**base["margin"], "t": 20},
            "bargap": 0,
            "hovermode": "closest",
            "uirevision": f"{histograms.name}.{step}",
            "xaxis": {**base["yaxis"], "type": "linear", "showgrid": False},
            "yaxis": {**base["xaxis"], "showticklabels": False, "rangemode": "tozero"},
            "annotations": [beside_the_top(_bins_line(step, found), palette)],
        },
    )


def _bins_line(step: int, found: Histogram) -> str:
    return _("at step {step}, {count} values").format(step=step, count=f"{found.counts.sum():.0f}")


def _index_at(histograms: Histograms, step: int | None) -> int:
    if step is None:
        return len(histograms) - 1
    return max(int(histograms.steps.searchsorted(step, "right")) - 1, 0)


def _bins(found: Histogram, palette: Palette) -> go.Bar:
    low, high = found.edges[:-1], found.edges[1:]
    least = _LEAST_WIDTH * (float(high[-1] - low[0]) or 1.0) if len(low) else 1.0
    widths = np.maximum(high - low, least)  # a bin may hold one single value
    return go.Bar(
        x=low,
        y=found.counts / widths,
        width=widths,
        offset=0,
        customdata=np.stack([low, high, found.counts], axis=-1),
        marker={"color": palette.line, "line": {"width": 0}},
        hovertemplate=_("<b>{count} values</b><br>{low} to {high}").format(**_BIN_PLACES) + _NO_NAME,
    )


def distribution_description(histograms: Histograms) -> str:
    """The chart as text: the last median and quartiles, and the non-finite values."""
    low, middle, high = (format_value(float(value)) for value in histograms.bins[-1].quantiles((0.25, 0.5, 0.75)))
    name = series_title(Series(histograms.name, histograms.tag, NO_STEPS, NO_VALUES))
    spread = _("{name}: median {middle}, half from {low} to {high} at step {step}").format(
        name=name, middle=middle, low=low, high=high, step=histograms.steps[-1]
    )
    return "; ".join(filter(None, (spread, not_finite(histograms))))


def not_finite(histograms: Histograms) -> str:
    """How many values were not finite; empty if all were."""
    found = [(step, bins) for step, bins in zip(histograms.steps, histograms.bins, strict=True) if bins.not_finite]
    if not found:
        return ""
    step, bins = found[-1]
    kinds = {"NaN": bins.nan, "∞": bins.inf, "−∞": bins.minus_inf}
    counts = _(" and ").join(f"{count} {kind}" for kind, count in kinds.items() if count)
    total = bins.not_finite + int(bins.counts.sum())
    words = _("{counts} among {total} values at step {step}").format(counts=counts, total=total, step=step)
    if len(found) == 1:
        return words
    return words + _("; so at {count} of {steps} steps").format(count=len(found), steps=len(histograms))


def _fewer_steps(histograms: Histograms) -> Histograms:
    chosen = np.unique(np.linspace(0, len(histograms) - 1, _MOST_STEPS).round().astype(int))
    return replace(histograms, steps=histograms.steps[chosen], bins=tuple(histograms.bins[index] for index in chosen))


def _band(steps: Steps, edges_SE: npt.NDArray[np.float64], colour: str, holds: str) -> go.Scatter:
    """A filled area between two shares: one outline for each run of steps without a gap."""
    x, y = list[float](), list[float]()
    for part in _unbroken(np.isfinite(edges_SE[:, 0])):
        x += [*steps[part], *steps[part][::-1], np.nan]
        y += [*edges_SE[part, 0], *edges_SE[part, 1][::-1], np.nan]
    return go.Scatter(
        x=x,
        y=y,
        fill="toself",
        mode="lines",
        line={"width": 1, "color": colour},
        fillcolor=colour,
        hoverinfo="skip",
        name=holds,
    )


def _unbroken(is_there: npt.NDArray[np.bool_]) -> Iterator[slice]:
    """The runs of True."""
    ends = np.flatnonzero(np.diff(np.concatenate([[False], is_there, [False]]).astype(np.int8)))
    yield from (slice(start, end) for start, end in ends.reshape(-1, 2))


def _median(histograms: Histograms, quantiles_SQ: npt.NDArray[np.float64], palette: Palette) -> go.Scatter:
    others: Values = np.delete(quantiles_SQ, _MEDIAN, axis=1)
    totals = [bins.counts.sum() for bins in histograms.bins]
    return go.Scatter(
        x=histograms.steps,
        y=quantiles_SQ[:, _MEDIAN],
        mode="lines+markers",
        line={"color": palette.line, "width": 1.5},
        marker={"color": palette.line, "size": 4},
        connectgaps=False,
        customdata=np.column_stack([others, totals]),
        name=_("median"),
        hovertemplate=_(_HOVER).format(**_PLACES) + _NO_NAME,
    )


def _with_opacity(colour: str, opacity: float) -> str:
    red, green, blue = (int(colour[place : place + 2], 16) for place in (1, 3, 5))
    return f"rgba({red},{green},{blue},{opacity})"
