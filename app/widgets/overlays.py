"""Overlays: one chart for each metric, with a line for each run, side by side."""

from collections.abc import Iterable, Sequence

import streamlit as st

from app import state
from app.figures.overlay import Line, SeedBand, overlay
from app.widgets.markdown import escaped
from app.widgets.plot import plot
from diagnostics.comparison import LETTERS, SideBySide
from diagnostics.comparison.seeds import band
from diagnostics.curves.selection import crucial_series, other_series
from diagnostics.model.run import Run
from diagnostics.model.series import Series
from diagnostics.wording.series import series_title
from diagnostics.wording.side_by_side import overlay_description

_WIDTH = 273  # pixels: four stand side by side on a screen of 1440, three on one of 1000
_LEAST_RUNS = 2  # that log a metric, before there is anything to compare


def crucial_names(runs: Sequence[Run]) -> list[str]:
    """The crucial metrics that two runs share, the baseline's first."""
    return _shared((series.name for run in runs for series in crucial_series(run)), runs)


def other_names(runs: Sequence[Run]) -> list[str]:
    """Every other metric that two runs share, in the vocabulary's order, raw tags after them."""
    return _shared((series.name for run in runs for series in other_series(run)), runs)


def _shared(names: Iterable[str], runs: Sequence[Run]) -> list[str]:
    return [name for name in dict.fromkeys(names) if sum(run.get(name) is not None for run in runs) >= _LEAST_RUNS]


def overlays(side: SideBySide, names: Iterable[str], ghost: Run | None, key: str) -> None:
    """Draw the overlays of these metrics, as many side by side as fit."""
    with st.container(horizontal=True):
        for name in names:
            with st.container(width=_WIDTH, gap="xxsmall", key=f"place.{key}.{name}"):
                _overlay(side, name, ghost, f"{key}.{name}")


def _overlay(side: SideBySide, name: str, ghost: Run | None, key: str) -> None:
    found = {place: series for place, run in enumerate(side.runs) if (series := run.get(name)) is not None}
    bands = [item for places in side.seed_groups if (item := _band(places, found)) is not None]
    members = {place for item in bands for place in item.places}
    lines = [Line(place, series, is_member=place in members) for place, series in found.items()]
    first = lines[0].series
    title = series_title(first)
    st.markdown(f"**{escaped(title)}**")
    facts = ("" if first.unit == title.lower() else first.unit, first.metric.healthy if first.metric else "")
    st.caption(" · ".join(escaped(fact) for fact in facts if fact) or ":small[]")
    reference = ghost.get(name) if ghost is not None else None
    figure = overlay(lines, state.palette(), bands=bands, ghost=reference, chosen_step=state.chosen_step())
    plot(figure, overlay_description(found, [item.places for item in bands], reference), key)
    _caveats(found)


def _band(places: Sequence[int], found: dict[int, Series]) -> SeedBand | None:
    members = tuple(place for place in places if place in found)
    drawn = band([found[place] for place in members]) if len(members) > 1 else None
    return SeedBand(members, drawn) if drawn is not None else None


def _caveats(found: dict[int, Series]) -> None:
    """Say where the same name does not mean the same in these runs."""
    if len({series.caveat for series in found.values()}) > 1:
        told = [f"{LETTERS[place]}: {series.caveat}" for place, series in found.items() if series.caveat]
        st.caption("Not quite the same meaning", help=escaped(" ".join(told)))
