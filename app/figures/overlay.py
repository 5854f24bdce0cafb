"""One metric of several runs as data for the browser: a line and a letter each, a band for seeds, a grey reference."""

from collections.abc import Mapping, Sequence

import numpy as np

from app.figures.curve import Curve, Limit, Trace, ghosts
from app.theme import Palette
from diagnostics.comparison import LETTERS, SideBySide
from diagnostics.curves.limits import drawn_limits, reached_limits
from diagnostics.curves.scale import Kind, Scale
from diagnostics.language import _
from diagnostics.model.messages import format_value
from diagnostics.model.run import Run
from diagnostics.model.series import NO_VALUES, Series
from diagnostics.visible_text import one_line
from diagnostics.wording.series import caveat_text, series_title
from diagnostics.wording.side_by_side import overlay_description

COLOURS = 7  # of a palette, for runs
DASHES = ((), (6, 4), (2, 3), (6, 3, 2, 3), (12, 5), (12, 4, 2, 4))
"""How lines are dashed, in pixels drawn and left out."""

_FEW = 4  # letters that fit at the end of a line


def colour_of(place: int) -> str:
    """The name of the colour of a run's line and letter, by its place in the comparison."""
    return f"runs/{place % COLOURS}"


def hex_of(place: int, palette: Palette) -> str:
    """The same colour in a palette."""
    return palette.runs[place % COLOURS]


def dash_of(place: int) -> tuple[int, ...]:
    """How a run's line is dashed; with its colour no two of the runs are alike."""
    return DASHES[place % len(DASHES)]


def overlay(side: SideBySide, name: str, ghost: Run | None = None) -> Curve:
    """The chart of a metric that at least one of the runs logs.

    Runs that differ in their seed are thin lines without a letter behind their mean and range. Limits are those that
    one of the runs broke.
    """
    found = {place: series for place, run in enumerate(side.runs) if (series := run.get(name)) is not None}
    bands = [members for places in side.seed_groups if len(members := _present(places, found)) > 1]
    reference = ghost.get(name) if ghost is not None else None
    first = next(iter(found.values()))
    limits = _limits(side, found)
    return Curve(
        name=name,
        title=one_line(series_title(first)),
        last="",
        is_finite=True,
        unit=_facts(found),
        note=_caveats(found),
        read="",
        at=None,
        scale=_scale(found, reference, limits),
        traces=(*_traces(side, found, bands), *ghosts(ghost, name)),
        limits=tuple(Limit(limit, _("limit {value}").format(value=format_value(limit))) for limit in limits),
        reached=tuple(limits),
        episodes=(),
        words=one_line(overlay_description(found, bands, reference)),
        is_overlay=True,
    )


def letters_of(places: Sequence[int]) -> str:
    """The letters of a group in as little room as they need: "ABC", "A…H"."""
    letters = [LETTERS[place] for place in places]
    return "".join(letters) if len(letters) <= _FEW else f"{letters[0]}…{letters[-1]}"


def _present(places: Sequence[int], found: Mapping[int, Series]) -> tuple[int, ...]:
    return tuple(place for place in places if place in found)


def _facts(found: Mapping[int, Series]) -> str:
    first = next(iter(found.values()))
    unit = "" if _(first.unit) == series_title(first).lower() else _(first.unit)
    healthy = _(first.metric.healthy) if first.metric else ""
    special = _("not quite the same meaning") if _caveats(found) else ""
    return one_line(" · ".join(filter(None, (unit, healthy, special))))


def _caveats(found: Mapping[int, Series]) -> str:
    """Where the same name does not mean the same in these runs."""
    if len({series.caveat for series in found.values()}) == 1:
        return ""
    return one_line(
        " ".join(f"{LETTERS[place]}: {caveat_text(series)}" for place, series in found.items() if series.caveat)
    )


def _limits(side: SideBySide, found: Mapping[int, Series]) -> list[float]:
    broken = set[float]()
    for place, series in found.items():
        judging = [outcome for outcome in side.diagnoses[place].outcomes if outcome.metric == series.name]
        broken.update(reached_limits(judging, drawn_limits(series, judging)))
    return sorted(broken)


def _scale(found: Mapping[int, Series], reference: Series | None, limits: Sequence[float]) -> Kind:
    every = [*found.values(), *([reference] if reference is not None else [])]
    return Scale.of(np.concatenate([NO_VALUES, *(series.values for series in every)]), limits).kind


def _traces(side: SideBySide, found: Mapping[int, Series], bands: Sequence[Sequence[int]]) -> tuple[Trace, ...]:
    members = {place for places in bands for place in places}
    paths = [str(run.path) for run in side.runs]
    lines = [_line(place, series, paths[place], is_member=place in members) for place, series in found.items()]
    means = [_band(places, found, paths) for places in bands]
    return (*lines, *means)


def _line(place: int, series: Series, path: str, *, is_member: bool) -> Trace:
    if is_member:
        return Trace(path, series.name, len(series), "thin", colour_of(place))
    return Trace(path, series.name, len(series), "line", colour_of(place), words=LETTERS[place], dash=dash_of(place))


def _band(places: Sequence[int], found: Mapping[int, Series], paths: Sequence[str]) -> Trace:
    first, *others = places
    return Trace(
        paths[first],
        found[first].name,
        sum(len(found[place]) for place in places),
        "band",
        colour_of(first),
        words=letters_of(places),
        dash=dash_of(first),
        others=tuple(paths[place] for place in others),
    )
