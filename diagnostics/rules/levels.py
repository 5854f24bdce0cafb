"""Graded limits on one series: which level it reached for long enough, from where to where, and how far it went."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from diagnostics.detectors.averages import finite_points
from diagnostics.detectors.episodes import Episode, episodes
from diagnostics.detectors.extremes import extreme, index_of_extreme
from diagnostics.detectors.proportions import CERTAIN, lower_bound_of_mean
from diagnostics.detectors.rolling import MEDIAN_WINDOW, rolling_median, sustained_level, without_warm_up
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
    `limit` is that level's: without a breach, `worst` has not reached `limit`.
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
    judged = without_warm_up(rolling_median(series.values) if smooth else series.values, warm_up)
    worst = {
        patience: extreme(sustained_level(judged, patience, above=above), highest=above)
        for patience in {level.patience for level in levels}
    }
    mildest = next((level for level in levels if not math.isnan(worst[level.patience])), None)
    if mildest is None:
        blind = max(warm_up, MEDIAN_WINDOW - 1 if smooth else 0)
        return TooFew(blind + min(worst), finite_points(series.values))
    reached = [level for level in levels if _is_past(worst[level.patience], level.limit, above)]
    breach = _breach_of_level(series, judged, reached[-1], above, smooth) if reached else None
    return Reading(series, breach, worst[mildest.patience], mildest.limit)


def read_proven_levels(
    series: Series,
    levels: Sequence[Level],
    *,
    warm_up: int = 0,
    window: int = MEDIAN_WINDOW,
    standard_errors: float = CERTAIN,
) -> Reading | TooFew:
    """Judge noisy numbers, such as shares of a few rows each, against levels of one patience, mildest first.

    As `read_levels` does, by the median of five points for the patience; but as many points (`window` at least) must
    also prove the level together: their mean lies above it by this many of its standard errors. A share of a few groups
    or answers that wavers about a limit has not passed it.
    """
    patience = max(level.patience for level in levels)
    window = max(patience, window)
    kept = sustained_level(without_warm_up(rolling_median(series.values), warm_up), patience)
    least = lower_bound_of_mean(series.values, window, standard_errors)
    lately = sustained_level(least, MEDIAN_WINDOW, above=False)  # the median lags behind by this many points
    proven = np.minimum(kept, lately)
    worst = extreme(proven)
    if math.isnan(worst):
        return TooFew(max(warm_up, MEDIAN_WINDOW - 1) + patience, finite_points(series.values))
    reached = [level for level in levels if worst >= level.limit]
    breach = _proven_breach(series, proven, reached[-1], window) if reached else None
    return Reading(series, breach, worst, reached[-1].limit if reached else levels[0].limit)


def _is_past(value: float, limit: float, above: bool) -> bool:
    return value >= limit if above else value <= limit


def _breach_of_level(series: Series, judged: Values, level: Level, above: bool, smooth: bool) -> Breach:
    """The breach of a level that was reached, from the first raw point past the limit to the last."""
    episode = _longest(episodes(judged, level.limit, level.patience, above=above))
    if smooth:
        episode = _on_raw_points(series.values, episode, level, above)
    inside = series.values[episode.first : episode.last + 1]
    return Breach(level, episode, episode.first + index_of_extreme(inside, highest=above))


def _proven_breach(series: Series, proven: Values, level: Level, window: int) -> Breach:
    """The breach of a level that was reached, from the first point past the limit in the window that proved it."""
    episode = _longest(episodes(proven, level.limit, 1))
    start = max(0, episode.first - window - MEDIAN_WINDOW + 2)
    past = np.flatnonzero(series.values[start : episode.last + 1] >= level.limit) + start
    first, last = int(past[0]), int(past[-1])
    peak = first + index_of_extreme(series.values[first : last + 1])
    return Breach(level, Episode(first, last, episode.still), peak)


def _longest(found: Sequence[Episode]) -> Episode:
    """The episode that still goes on, else the longest."""
    return max(found, key=lambda episode: (episode.still, episode.length))


def _on_raw_points(values: Values, episode: Episode, level: Level, above: bool) -> Episode:
    """The episode from the first raw point past the limit to the last: the median itself lags behind by two points."""
    start = max(0, episode.first - MEDIAN_WINDOW + 1)
    raw = values[start : episode.last + 1]
    past = np.flatnonzero(raw >= level.limit if above else raw <= level.limit) + start
    return Episode(int(past[0]), int(past[-1]), episode.still)
