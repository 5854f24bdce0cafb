"""Breaches: the stretches in which a series was past a level, which of them leads, and how far each went."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from diagnostics.detectors.episodes import Episode
from diagnostics.detectors.extremes import index_of_extreme
from diagnostics.model.outcome import Severity, Stretch
from diagnostics.model.series import Series, Values


@dataclass(frozen=True, slots=True)
class Level:
    """A limit that counts when it is reached for `patience` logged points in a row."""

    severity: Severity
    limit: float
    patience: int


@dataclass(frozen=True, slots=True)
class Breach:
    """A level that was reached, one episode of that, the index of the value farthest past the limit, and the share.

    `share` is the part of the episode's logged points, not smoothed, that reached the limit; None where no single point
    is judged.
    """

    level: Level
    episode: Episode
    peak: int
    share: float | None = None


def past(values: Values, limit: float | Values, *, above: bool) -> npt.NDArray[np.bool_]:
    """(N,) Where a limit is reached; NaN never reaches one."""
    return values >= limit if above else values <= limit


def breaches_of_points(
    values: Values, level: Level, found: Sequence[Episode], *, lag: int = 0, above: bool = True
) -> tuple[Breach, ...]:
    """The breaches of a level in logged points, of the episodes of what was made of them, such as their medians.

    That lags behind by up to `lag` points. Episodes that meet in the logged points are one.
    """
    told: list[Breach] = []
    for episode in found:
        early = Episode(max(0, episode.first - lag), episode.last, episode.still)
        breach = breach_of_points(values, level, early, above=above)
        if told and breach.episode.first <= told[-1].episode.last:
            whole = Episode(told.pop().episode.first, breach.episode.last, episode.still)
            breach = breach_of_points(values, level, whole, above=above)
        told.append(breach)
    return tuple(told)


def breach_of_points(
    values: Values, level: Level, episode: Episode, *, above: bool, limits: Values | None = None
) -> Breach:
    """The breach of an episode, from the first of its logged points past the limit to the last.

    `limits` (N,) is each point's own limit, by default the level's. An episode in which no logged point reached it, as
    a smoothed value may, keeps its ends.
    """
    limits = np.full(len(values), level.limit) if limits is None else limits
    inside = slice(episode.first, episode.last + 1)
    where = np.flatnonzero(past(values[inside], limits[inside], above=above)) + episode.first
    first, last = (int(where[0]), int(where[-1])) if len(where) else (episode.first, episode.last)
    known = int(np.count_nonzero(~np.isnan(values[first : last + 1])))
    peak = first + _index_farthest(values[first : last + 1], limits[first : last + 1], above)
    return Breach(level, Episode(first, last, episode.still), peak, len(where) / known if known else None)


def _index_farthest(values: Values, limits: Values, above: bool) -> int:
    """The index of the value farthest past its own limit; where limits are one number, of the extreme value."""
    relative = values / limits if np.all(limits > 0) and np.ptp(limits) > 0 else values
    return index_of_extreme(relative, highest=above) if np.isfinite(relative).any() or len(relative) == 0 else 0


def without_repeats(breaches: Sequence[Breach]) -> tuple[Breach, ...]:
    """The breaches of all levels in order of time, without those that are only the slopes of a graver one.

    What goes past a grave limit passes the milder ones on the way up and down. A milder breach is told all the same
    where graver ones hold less than half of its points, or where it goes on after they ended.
    """
    kept = [breach for breach in breaches if not _is_slope(breach, breaches)]
    return tuple(sorted(kept, key=lambda breach: (breach.episode.first, breach.episode.last)))


def _is_slope(breach: Breach, breaches: Sequence[Breach]) -> bool:
    episode = breach.episode
    graver = [
        other.episode
        for other in breaches
        if other.level.severity.rank > breach.level.severity.rank and _shared(other.episode, episode)
    ]
    goes_on_alone = episode.still and not any(other.still for other in graver)
    return not goes_on_alone and 2 * max((_shared(other, episode) for other in graver), default=0) >= episode.length


def _shared(one: Episode, other: Episode) -> int:
    """How many points two episodes have in common."""
    return max(0, min(one.last, other.last) - max(one.first, other.first) + 1)


def leading(breaches: Sequence[Breach]) -> Breach:
    """The gravest breach that still holds, else the gravest; the longest of several, and of these the first."""
    return max(
        breaches,
        key=lambda breach: (breach.episode.still, breach.level.severity.rank, breach.episode.length),
    )


def gravest(breaches: Sequence[Breach]) -> Severity:
    """The worst severity that was reached."""
    return max((breach.level.severity for breach in breaches), key=lambda severity: severity.rank)


def stretches(series: Series, breaches: Sequence[Breach], *, tell_limits: bool) -> tuple[Stretch, ...]:
    """The breaches in steps, with values of `series`, which has the points that were judged.

    `tell_limits`: their limits are in its unit as well.
    """
    return tuple(
        Stretch(
            first_step=int(series.steps[breach.episode.first]),
            last_step=int(series.steps[breach.episode.last]),
            severity=breach.level.severity,
            still=breach.episode.still,
            peak=float(series.values[breach.peak]),
            peak_step=int(series.steps[breach.peak]),
            limit=breach.level.limit if tell_limits else None,
            share=breach.share,
        )
        for breach in breaches
    )


def told_in_unit(
    series: Series, base: Values, breaches: Sequence[Breach], *, above: bool, factor: float | None = None
) -> tuple[Breach, ...]:
    """Breaches of a series over its base, as breaches of the series itself.

    `factor` times the base is the limit, by default the limit of the level; a breach tells the one at its start.
    """
    return tuple(_in_unit(series.values, base, breach, above, factor) for breach in breaches)


def _in_unit(values: Values, base: Values, breach: Breach, above: bool, factor: float | None) -> Breach:
    times = breach.level.limit if factor is None else factor
    told = breach_of_points(values, breach.level, breach.episode, above=above, limits=times * base)
    start = base[told.peak] if math.isnan(base[told.episode.first]) else base[told.episode.first]
    return replace(told, level=replace(breach.level, limit=times * float(start)))
