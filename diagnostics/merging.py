"""Merging: the logs that one training left in several formats become one recording; what they disagree on is told."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from diagnostics.dialects.transport import PREFIX
from diagnostics.run import RawSeries, Recording, Samples, Status, Steps, Values

RELATIVE_TOLERANCE = 1e-6  # float32, in which TensorBoard keeps its values, holds seven digits
ABSOLUTE_TOLERANCE = 1e-12
COUNTED_BY_CALLS = "profiling/"  # TRL's timings name no step: each tracker puts them where its own count stands
_TELLS_MOST = ("failed", "died", "stopped", "finished", "running", "starting", "queued", "silent", "unknown")


@dataclass(frozen=True, slots=True)
class _Difference:
    """Two logs that say different things of one tag at one step."""

    tag: str
    step: int
    first: float
    second: float


def merge(recordings: Sequence[Recording]) -> Recording:
    """One recording of all; where logs overlap the first one counts, and the others fill in what it lacks."""
    merged = recordings[0]
    for other in recordings[1:]:
        merged = _merged(merged, other)
    return merged


def _merged(first: Recording, second: Recording) -> Recording:
    tags, differences = _merged_tags(first.tags, second.tags)
    return replace(
        first,
        sources=(*first.sources, *second.sources),
        tags=tags,
        histograms={**second.histograms, **first.histograms},
        config=first.config or second.config,
        text={**second.text, **{name: text for name, text in first.text.items() if text}},
        samples=_samples(first.samples, second.samples),
        status=_status(first.status, second.status),
        created=first.created if second.created is None else min(first.created or second.created, second.created),
        console=first.console or second.console,
        console_tail=first.console_tail or second.console_tail,
        malformed=first.malformed + second.malformed,
        notes=(*first.notes, *second.notes, *_told(differences, first, second)),
    )


def _merged_tags(
    first: Mapping[str, RawSeries], second: Mapping[str, RawSeries]
) -> tuple[dict[str, RawSeries], list[_Difference]]:
    """All tags; the one that both hold (a tracker's prefix aside) with the points of both."""
    by_name = {_bare(tag): tag for tag in first}
    merged, differences = dict(first), list[_Difference]()
    for tag, series in second.items():
        same = by_name.get(_bare(tag))
        if same is None:
            merged[tag] = series
        else:
            merged[same] = _filled(merged[same], series)
            if not _bare(tag).startswith(COUNTED_BY_CALLS):
                differences += _differences(merged[same], series)
    return merged, differences


def _bare(tag: str) -> str:
    return tag.removeprefix(PREFIX)


def _filled(series: RawSeries, other: RawSeries) -> RawSeries:
    """The points of a series, and those of another one at steps that it lacks, each before the next later step."""
    missing = ~np.isin(other.steps, series.steps)
    if not missing.any():
        return series
    steps, values = other.steps[missing], other.values[missing]
    has_times = len(series.times) == len(series.steps) and len(other.times) == len(other.steps)
    goes_forward = bool((np.diff(series.steps) >= 0).all())
    places = np.searchsorted(series.steps, steps) if goes_forward else np.full(len(steps), len(series.steps))
    return RawSeries(
        series.tag,
        np.insert(series.steps, places, steps),
        np.insert(series.values, places, values),
        np.insert(series.times, places, other.times[missing]) if has_times else series.times[:0],
    )


def _differences(series: RawSeries, other: RawSeries) -> list[_Difference]:
    """The points at which a log says something that the other one never says for that step.

    A step for which one of them has more points than the other is not compared: trackers count calls of timings apart.
    """
    last = dict(zip(other.steps.tolist(), other.values.tolist(), strict=True))
    where = np.isin(series.steps, _as_often(series.steps, other.steps))
    theirs = np.array([last[step] for step in series.steps[where].tolist()])
    ours = series.values[where]
    agreed = set(series.steps[where][_agree(ours, theirs)].tolist())
    found = zip(series.steps[where].tolist(), ours.tolist(), theirs.tolist(), strict=True)
    return [_Difference(series.tag, step, one, two) for step, one, two in found if step not in agreed]


def _as_often(steps: Steps, other: Steps) -> Steps:
    """The steps that both have, equally often."""
    counts, others = (np.unique(found, return_counts=True) for found in (steps, other))
    common, ours, theirs = np.intersect1d(counts[0], others[0], assume_unique=True, return_indices=True)
    found: Steps = common[counts[1][ours] == others[1][theirs]]
    return found


def _agree(ours: Values, theirs: Values) -> npt.NDArray[np.bool_]:
    """Whether two values are one as far as float32 can tell: beyond its range it holds infinity."""
    with np.errstate(over="ignore"):
        both = (ours.astype(np.float32), theirs.astype(np.float32))
    return np.isclose(*both, rtol=RELATIVE_TOLERANCE, atol=ABSOLUTE_TOLERANCE, equal_nan=True)


def _told(differences: Sequence[_Difference], first: Recording, second: Recording) -> tuple[str, ...]:
    if not differences:
        return ()
    example, names = differences[0], (first.sources[-1].format, second.sources[0].format)
    return (
        f"{names[0]} and {names[1]} disagree at {len(differences)} points, first on {example.tag} at step "
        f"{example.step}: {example.first:.6g} against {example.second:.6g}; the former is shown",
    )


def _samples(first: Samples, second: Samples) -> Samples:
    """The samples of both; at a step that both hold, the fuller of the two logs counts."""
    if not first.steps or not second.steps:
        return first if first.steps else second
    one, two = (first, second) if len(first.steps) >= len(second.steps) else (second, first)
    return Samples(
        tuple(sorted({*one.steps, *two.steps})),
        lambda step: (one if step in one.steps else two).at(step),
        tuple(sorted({*one.followed_steps, *two.followed_steps})),
    )


def _status(first: Status, second: Status) -> Status:
    """What the log that knows most of the run's state says, and the furthest step that any of them saw."""
    best = min((first, second), key=lambda status: _TELLS_MOST.index(status.state))
    written = [status.last_written for status in (first, second) if status.last_written is not None]
    steps = [status.step for status in (first, second) if status.step is not None]
    return replace(
        best,
        step=max(steps, default=None),
        total=first.total if first.total is not None else second.total,
        last_written=max(written, default=None),
        error=first.error or second.error,
    )
