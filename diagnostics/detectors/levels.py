"""Graded limits on one series: which level it reached for long enough, from where to where, and how far it went."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from diagnostics.detectors.rolling import MEDIAN_WINDOW, Episode, episodes, finite_points, rolling_median, sustained
from diagnostics.detectors.running import after, farthest, place_of_farthest
from diagnostics.model.outcome import Severity
from diagnostics.model.series import Series, Values


@dataclass(frozen=True, slots=True)
class Level:
    """A limit that counts when it is reached for `patience` logged points in a row."""

    severity: Severity
    limit: float
    patience: int


@dataclass(frozen=True, slots=True)
class Breach:
    """The worst level that was reached, its episode, and the index of the value farthest past the limit."""

    level: Level
    episode: Episode
    peak: int


@dataclass(frozen=True, slots=True)
class Reading:
    """A judged series.

    `worst` is the farthest value that was kept up for the patience of the mildest level that could be judged, and
    `limit` that level's: without a breach, `worst` has not reached `limit`.
    """

    series: Series
    breach: Breach | None
    worst: float
    limit: float


@dataclass(frozen=True, slots=True)
class TooFew:
    """The series is too short, or too torn by NaN, to be judged."""

    needed: int
    found: int


def read_levels(
    series: Series, levels: Sequence[Level], *, above: bool = True, smooth: bool = True, warm_up: int = 0
) -> Reading | TooFew:
    """Judge a series against levels, mildest first.

    `above`: reaching a limit from below is bad, else from above. `smooth`: limits apply to the median of the last five
    points, so that single points do not count. The first `warm_up` points are not judged (the median looks into them).
    """
    judged = rolling_median(series.values) if smooth else series.values
    judged = after(judged, warm_up) if warm_up else judged
    blind = max(warm_up, MEDIAN_WINDOW - 1 if smooth else 0)
    for level in levels:
        kept = sustained(judged, level.patience, above=above)
        worst = farthest(kept, highest=above)
        if not math.isnan(worst):
            patient = {level.patience: worst}
            reached = [item for item in levels if _is_reached(item, judged, above, patient)]
            return Reading(series, _worst_breach(series, judged, reached, above, smooth), worst, level.limit)
    return TooFew(blind + min(level.patience for level in levels), finite_points(series.values))


def _is_reached(level: Level, judged: Values, above: bool, worst: dict[int, float]) -> bool:
    """Whether the limit was reached for its patience; `worst` says for each patience what was, where it is known."""
    if level.patience not in worst:
        worst[level.patience] = farthest(sustained(judged, level.patience, above=above), highest=above)
    return worst[level.patience] >= level.limit if above else worst[level.patience] <= level.limit


def _worst_breach(series: Series, judged: Values, levels: Sequence[Level], above: bool, smooth: bool) -> Breach | None:
    for level in reversed(levels):
        found = episodes(judged, level.limit, level.patience, above=above)
        if found:
            worst = max(found, key=lambda episode: (episode.still, episode.length))
            worst = _on_raw_points(series.values, worst, level, above) if smooth else worst
            inside = series.values[worst.first : worst.last + 1]
            return Breach(level, worst, worst.first + place_of_farthest(inside, highest=above))
    return None


def _on_raw_points(values: Values, episode: Episode, level: Level, above: bool) -> Episode:
    """The episode from the first raw point past the limit to the last: the median itself lags behind by two points."""
    start = max(0, episode.first - MEDIAN_WINDOW + 1)
    raw = values[start : episode.last + 1]
    first, behind = (_first_past(part, level.limit, above) for part in (raw, raw[::-1]))
    return Episode(start + first, episode.last - behind, episode.still)


def _first_past(values: Values, limit: float, above: bool) -> int:
    """The index of the first value past the limit, which stands near the start."""
    width = 64
    while True:
        head = values[:width]
        past = np.flatnonzero(head >= limit if above else head <= limit)
        if len(past) or width >= len(values):
            return int(past[0])
        width *= 4
