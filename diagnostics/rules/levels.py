"""Graded limits on one series: which level it reached for long enough, from where to where, and how far it went."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from diagnostics.detectors.averages import finite_points
from diagnostics.detectors.episodes import episodes
from diagnostics.detectors.extremes import extreme
from diagnostics.detectors.proportions import CERTAIN, lower_bound_of_geometric_mean, lower_bound_of_mean
from diagnostics.detectors.rolling import MEDIAN_WINDOW, rolling_median, sustained_level, without_warm_up
from diagnostics.model.outcome import Severity
from diagnostics.model.series import Series, Values
from diagnostics.rules.breaches import (
    Breach,
    Level,
    breach_of_points,
    breaches_of_points,
    gravest,
    leading,
    past,
    without_repeats,
)

__all__ = ["Breach", "Level", "Reading", "TooFew", "from_onset", "read_levels", "read_proven_levels", "read_until_back"]


@dataclass(frozen=True, slots=True)
class Reading:
    """A judged series.

    `breaches` are all that were found, in order of time; none where the series kept within the limits. `worst` is the
    farthest value that was kept up for the patience of the mildest level that could be judged, and `limit` is that
    level's: without a breach, `worst` has not reached `limit`. `above`: reaching a limit from below is bad.
    `median_of` is how many points the judged values are medians of.
    """

    series: Series
    breaches: tuple[Breach, ...]
    worst: float
    limit: float
    above: bool = True
    median_of: int = 1

    @property
    def breach(self) -> Breach | None:
        """The breach to tell first: the gravest that still holds, else the gravest."""
        return leading(self.breaches) if self.breaches else None

    @property
    def severity(self) -> Severity | None:
        """The worst that was reached, whether or not it still holds."""
        return gravest(self.breaches) if self.breaches else None


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
    lag = MEDIAN_WINDOW - 1 if smooth else 0
    found = [
        breach
        for level in levels
        for breach in breaches_of_points(
            series.values, level, episodes(judged, level.limit, level.patience, above=above), lag=lag, above=above
        )
    ]
    return Reading(
        series, without_repeats(found), worst[mildest.patience], mildest.limit, above, MEDIAN_WINDOW if smooth else 1
    )


def read_proven_levels(
    series: Series,
    levels: Sequence[Level],
    *,
    warm_up: int = 0,
    window: int = MEDIAN_WINDOW,
    standard_errors: float = CERTAIN,
    smallest: float | None = None,
) -> Reading | TooFew:
    """Judge noisy numbers, such as shares of a few rows each, against levels of one patience, mildest first.

    As `read_levels` does, by the median of five points for the patience; but as many points (`window` at least) must
    also prove the level together: their mean lies above it by this many of its standard errors. A share of a few groups
    or answers that wavers about a limit has not passed it. With `smallest`, which is above 0, numbers scatter by
    factors: it is their geometric mean that counts.
    """
    patience = max(level.patience for level in levels)
    window = max(patience, window)
    kept = sustained_level(without_warm_up(rolling_median(series.values), warm_up), patience)
    if smallest is None:
        least = lower_bound_of_mean(series.values, window, standard_errors)
    else:
        least = lower_bound_of_geometric_mean(series.values, window, smallest, standard_errors)
    known = np.where(np.isnan(least), -np.inf, least)  # the first points prove nothing yet
    lately = sustained_level(known, MEDIAN_WINDOW, above=False)  # the median lags behind by this many points
    proven = np.minimum(kept, lately)
    worst = extreme(proven)
    if math.isnan(worst):
        return TooFew(max(warm_up, MEDIAN_WINDOW - 1) + patience, finite_points(series.values))
    lag = window + MEDIAN_WINDOW - 2
    found = [
        breach
        for level in levels
        for breach in breaches_of_points(series.values, level, episodes(proven, level.limit, 1), lag=lag)
    ]
    reached = [level for level in levels if worst >= level.limit]
    limit = reached[-1].limit if reached else levels[0].limit
    return Reading(series, without_repeats(found), worst, limit, median_of=MEDIAN_WINDOW)


def read_until_back(
    read: Callable[[Values], Reading | TooFew], values: Values, base: Values
) -> tuple[Reading | TooFew, Values]:
    """The reading of smoothed values over a base that follows them, and (N,) the base that it is of.

    That is no higher than it was before a jump until the values have come back from it: a base that has caught up with
    them is no return. `read` judges the values over the base that it is given.
    """
    reading = read(base)
    if not isinstance(reading, Reading) or not reading.breaches:
        return reading, base
    held = _held(values, base, reading.breaches)
    return read(held), held


def from_onset(reading: Reading, logged: Values, warm_up: int) -> Reading:
    """The reading, not smoothed, in which what was past a limit when judging began has begun where that went past it.

    The `warm_up` points before may not judge, but they may date: the values of the reading, or else `logged`, of which
    they were made, are past the limit without a gap.
    """
    return replace(
        reading,
        breaches=tuple(
            _dated(reading, breach, logged) if breach.episode.first == warm_up else breach
            for breach in reading.breaches
        ),
    )


def _dated(reading: Reading, breach: Breach, logged: Values) -> Breach:
    level, episode, above = breach.level, breach.episode, reading.above
    values = np.where(past(logged, level.limit, above=above), logged, reading.series.values)
    within = np.flatnonzero(~past(values[: episode.first], level.limit, above=above))
    earlier = replace(episode, first=int(within[-1]) + 1 if len(within) else 0)
    return breach_of_points(values, level, earlier, above=above)


def _held(values: Values, base: Values, breaches: Sequence[Breach]) -> Values:
    """(N,) The base, no higher than at the onset of a breach for as long as the values are past the level by that."""
    held, end = base.copy(), 0
    for breach in breaches:
        first, level = breach.episode.first, breach.level
        stays = episodes(values[first:] / base[first], level.limit, level.patience) if first >= end else ()
        if stays:
            end = first + stays[0].last + 1
            held[first:end] = np.fmin(base[first:end], base[first])
    return held
