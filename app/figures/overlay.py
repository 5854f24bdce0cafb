"""One metric of several runs over their steps: a line and a letter each, a band for seeds, a ghost of a healthy run."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import plotly.graph_objects as go

from app.figures.line_ends import LineEnd, letters_at
from app.figures.plotly_layout import HEIGHT, layout, step_line
from app.figures.rug import rug
from app.theme import Palette
from diagnostics.comparison import LETTERS
from diagnostics.comparison.seeds import Band
from diagnostics.curves.downsample import downsample
from diagnostics.curves.scale import Scale
from diagnostics.model.series import NO_VALUES, Series, Values

DASHES = ("solid", "dash", "dot", "dashdot", "longdash", "longdashdot")
_WIDTH, _MEMBER_WIDTH, _GHOST_WIDTH = 1.75, 0.75, 1.25  # pixels
_MEMBER_OPACITY, _GHOST_OPACITY, _RANGE_OPACITY = 0.45, 0.6, 0.16
_MARGIN = {"l": 44, "r": 26, "t": 8, "b": 24}
_RUG_STEP = 0.07  # of the chart's height, between the marks of one run and the next


@dataclass(frozen=True, slots=True)
class Line:
    """The metric of one run, by its place in the comparison; a member of a band is drawn thin and has no letter."""

    place: int
    series: Series
    is_member: bool = False


@dataclass(frozen=True, slots=True)
class SeedBand:
    """The band of runs that differ in their seed alone, by their places."""

    places: tuple[int, ...]
    band: Band

    @property
    def letters(self) -> str:
        """The letters of its runs: "ABC"."""
        return "".join(LETTERS[place] for place in self.places)


def colour_of(place: int, palette: Palette) -> str:
    """The colour of a run's line and letter."""
    return palette.runs[place % len(palette.runs)]


def dash_of(place: int) -> str:
    """How a run's line is dashed; with its colour no two of the runs are alike."""
    return DASHES[place % len(DASHES)]


def overlay(
    lines: Sequence[Line],
    palette: Palette,
    *,
    bands: Sequence[SeedBand] = (),
    ghost: Series | None = None,
    chosen_step: int | None = None,
) -> go.Figure:
    """Draw the metric of several runs; `ghost` is the same metric of a healthy run, grey behind them.

    Each line ends where its log ends, with its letter. NaN and ±Inf break a line and are marked on a rug in its colour.
    """
    ghosts = [] if ghost is None else [ghost]
    every = [*(line.series for line in lines), *ghosts]
    scale = Scale.of(np.concatenate([NO_VALUES, *(series.values for series in every)]), ())
    traces = [
        *(_ghost(series, palette) for series in ghosts),
        *(trace for item in bands for trace in _band(item, palette)),
        *(_line(line, palette) for line in lines),
        *_rugs(lines, palette),
    ]
    return go.Figure(
        data=traces,
        layout={
            **layout(_extent(every), palette, scale),
            "margin": _MARGIN,
            "shapes": step_line(chosen_step, palette),
            "annotations": letters_at(_ends(lines, bands, palette), scale, HEIGHT - _MARGIN["t"] - _MARGIN["b"]),
        },
    )


def _extent(every: Sequence[Series]) -> Series:
    """A series from the first step of all to the last one, for the axis."""
    steps = np.concatenate([series.steps for series in every])
    ends = np.array([steps.min(), steps.max()], dtype=np.int64)
    return Series(every[0].name, every[0].tag, ends, np.full(2, np.nan))


def _line(line: Line, palette: Palette) -> go.Scatter:
    chosen = downsample(line.series.values)
    values, colour = line.series.values[chosen], colour_of(line.place, palette)
    width, dash = (_MEMBER_WIDTH, DASHES[0]) if line.is_member else (_WIDTH, dash_of(line.place))
    return go.Scatter(
        x=line.series.steps[chosen],
        y=_finite(values),
        mode="lines+markers",
        line={"color": colour, "width": width, "dash": dash},
        opacity=_MEMBER_OPACITY if line.is_member else 1.0,
        marker={"color": colour, "size": _marker_sizes(values, marks_end=not line.is_member), "line": {"width": 0}},
        connectgaps=False,
        name=LETTERS[line.place],
        hovertemplate=f"<b>{LETTERS[line.place]}</b> %{{y:.6~g}}<extra></extra>",
    )


def _marker_sizes(values: Values, *, marks_end: bool) -> Values:
    """Marks single points between gaps, which no line shows, and the last point if asked for."""
    is_number = np.isfinite(np.concatenate([[np.nan], values, [np.nan]]))
    is_alone = is_number[1:-1] & ~is_number[:-2] & ~is_number[2:]
    if marks_end:
        is_alone[np.flatnonzero(is_number[1:-1])[-1:]] = True
    return np.where(is_alone, 5.0, 0.0)


def _ghost(series: Series, palette: Palette) -> go.Scatter:
    chosen = downsample(series.values)
    return go.Scatter(
        x=series.steps[chosen],
        y=_finite(series.values[chosen]),
        mode="lines",
        line={"color": palette.muted, "width": _GHOST_WIDTH},
        opacity=_GHOST_OPACITY,
        connectgaps=False,
        name="reference",
        hovertemplate="reference %{y:.6~g}<extra></extra>",
    )


def _band(item: SeedBand, palette: Palette) -> Iterator[go.Scatter]:
    """The range as an area for each stretch without a gap, then the mean over it."""
    band, colour = item.band, colour_of(item.places[0], palette)
    chosen = np.unique(np.concatenate([downsample(values) for values in (band.mean, band.low, band.high)]))
    steps, mean, low, high = (array[chosen] for array in (band.steps, band.mean, band.low, band.high))
    for stretch in _stretches(mean):
        yield go.Scatter(
            x=np.concatenate([steps[stretch], steps[stretch][::-1]]),
            y=np.concatenate([high[stretch], low[stretch][::-1]]),
            fill="toself",
            fillcolor=colour,
            line={"width": 0},
            mode="lines",
            opacity=_RANGE_OPACITY,
            hoverinfo="skip",
            name=f"range {item.letters}",
        )
    yield go.Scatter(
        x=steps,
        y=mean,
        customdata=np.stack([low, high], axis=1),
        mode="lines+markers",
        line={"color": colour, "width": _WIDTH, "dash": dash_of(item.places[0])},
        marker={"color": colour, "size": _marker_sizes(mean, marks_end=True), "line": {"width": 0}},
        connectgaps=False,
        name=f"mean {item.letters}",
        hovertemplate=f"<b>{item.letters}</b> mean %{{y:.4~g}}, %{{customdata[0]:.4~g}} to %{{customdata[1]:.4~g}}, "
        f"n = {len(item.places)}<extra></extra>",
    )


def _stretches(values: Values) -> Iterator[slice]:
    """Where the values are numbers, without a gap between them."""
    is_number = np.concatenate([[False], np.isfinite(values), [False]])
    edges = np.flatnonzero(is_number[1:] != is_number[:-1])
    yield from (slice(int(first), int(end)) for first, end in zip(edges[::2], edges[1::2], strict=True))


def _rugs(lines: Sequence[Line], palette: Palette) -> Iterator[go.Scatter]:
    """The marks of NaN and ±Inf, those of each run on a line of their own, with its letter."""
    broken = [line for line in lines if not line.series.finite.all()]
    for row, line in enumerate(broken):
        for trace in rug(line.series, palette):
            colour, at_top = colour_of(line.place, palette), trace.y[0] > 0.5
            trace.update(
                y=np.asarray(trace.y) + (-_RUG_STEP if at_top else _RUG_STEP) * row,
                text=[text and f"{LETTERS[line.place]} {text}" for text in trace.text],
                textfont={"color": colour},
                marker={"color": colour},
                name=f"{LETTERS[line.place]} {trace.name}",
            )
            yield trace


def _ends(lines: Sequence[Line], bands: Sequence[SeedBand], palette: Palette) -> Iterator[LineEnd]:
    found = [
        (LETTERS[line.place], line.place, line.series.steps, line.series.values) for line in lines if not line.is_member
    ]
    found += [(item.letters, item.places[0], item.band.steps, item.band.mean) for item in bands]
    for letters, place, steps, values in found:
        numbers = np.flatnonzero(np.isfinite(values))
        if len(numbers):
            last = numbers[-1]
            yield LineEnd(letters, colour_of(place, palette), int(steps[last]), float(values[last]))


def _finite(values: Values) -> Values:
    return np.where(np.isfinite(values), values, np.nan)
