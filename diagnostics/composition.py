"""Composition: a recording and what its dialect makes of it become a Run; duplicates, gaps and NaN are counted here."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from diagnostics.dialects import Translation, translate
from diagnostics.dialects.dialect import Name
from diagnostics.dialects.own_names import NO_NAMES, OwnNames
from diagnostics.dialects.transport import PREFIX
from diagnostics.histograms import Histograms
from diagnostics.metrics import metric
from diagnostics.run import NO_STEPS, DataHealth, RawSeries, Recording, Run, Series, Status, Steps, Values
from diagnostics.settling import settle

GAP_FACTOR = 1.5  # a distance between logged steps counts as a gap beyond this many usual distances
_OPEN_STATES = frozenset({"running", "silent", "unknown"})  # of formats that do not say how a run ended


def compose(recording: Recording, observed_at: float, own: OwnNames = NO_NAMES) -> Run:
    """The run that a recording holds, as seen at `observed_at` (seconds since the epoch), under a user's names."""
    translation = translate(recording, own)
    findings = translation.findings
    tagged = [(tag, translation.log.series[tag]) for tag in translation.tags()]
    merged = [
        _Merged.of(tag, raw, translation.name_of(tag), findings.counts_rows, recording.resumed_after)
        for tag, raw in tagged
    ]
    series = _by_name(merged, translation.producer)
    return Run(
        path=recording.path,
        run_id=recording.run_id,
        name=recording.name,
        sources=recording.sources,
        producer=translation.producer,
        producer_version=translation.log.version,
        algorithm=translation.algorithm,
        series=series,
        histograms=_histograms(recording, translation),
        config=translation.log.config,
        samples=settle(recording, translation.producer, translation.log.config, series),
        status=_status(recording.status, series, translation),
        data_health=_health(recording, merged, series),
        observed_at=observed_at,
        created=recording.created,
        task=recording.task,
        parent=recording.parent,
        console=recording.console,
        console_tail=recording.console_tail,
        resumed_after=recording.resumed_after,
        notes=recording.notes + translation.notes + _doubt(translation) + own.notes(recording.tags),
    )


def _doubt(translation: Translation) -> tuple[str, ...]:
    """What a reader must know of a dialect that no real log could be held against."""
    dialect = translation.dialect
    if dialect.is_verified:
        return ()
    return (
        f"What {dialect.producer} means by its names is taken from its source code, not checked on a log of its own",
    )


@dataclass(frozen=True, slots=True)
class _Merged:
    """One tag's points, one per step, and what merging them took."""

    name: str | None  # the canonical one
    series: Series
    points: int
    nan: int
    inf: int
    rewinds: int

    @classmethod
    def of(
        cls, tag: str, raw: RawSeries, name: Name | None, counts_rows: bool, resumed_after: Sequence[int]
    ) -> "_Merged":
        steps: Steps = np.arange(1, len(raw.steps) + 1, dtype=np.int64) if counts_rows else raw.steps
        values = raw.values if name is None else _in_unit(raw.values, name)
        series = Series(name.metric if name else tag, tag, steps, values, raw.times, name.caveat if name else "")
        forward = np.diff(steps) > 0
        return cls(
            name=name.metric if name else None,
            series=series if forward.all() else _last_of_each_step(series),
            points=len(steps),
            nan=int(np.isnan(values).sum()),
            inf=int(np.isinf(values).sum()),
            rewinds=_rewinds(steps, resumed_after),
        )


def _rewinds(steps: Steps, resumed_after: Sequence[int]) -> int:
    """How often the steps go back. One step made again looks like a duplicate; that it is none, only the run knows."""
    forward = np.diff(steps)
    again = steps[1:][forward == 0]
    return int((forward < 0).sum() + np.isin(again, np.asarray(resumed_after, dtype=np.int64) + 1).sum())


def _in_unit(values: Values, name: Name) -> Values:
    """The producer's values in the metric's unit."""
    powered = values if name.power == 1 else values**name.power
    return powered if name.scale == 1 else powered * name.scale


def _last_of_each_step(series: Series) -> Series:
    """The series in the order of its steps; of several points at one step the last one written counts."""
    order = np.argsort(series.steps, kind="stable")
    steps = series.steps[order]
    is_last = np.append(steps[1:] != steps[:-1], True)
    keep, drop = order[is_last], order[~is_last]
    return replace(
        series,
        steps=series.steps[keep],
        values=series.values[keep],
        times=series.times[keep] if len(series.times) else series.times,
        replaced_steps=series.steps[drop],
        replaced_values=series.values[drop],
    )


def _by_name(merged: Iterable[_Merged], producer: str) -> dict[str, Series]:
    """Series by name: the canonical one, else the tag.

    A tag that must not be taken for the metric of that name (it means something else in this version, or another tag is
    that metric already) stands under its producer's: `trl/clip_ratio`.
    """
    found: dict[str, Series] = {}
    for item in merged:
        name = item.name or item.series.tag
        if name in found or (item.name is None and metric(name)):
            name = f"{producer}/{item.series.tag}"
        found[name] = replace(item.series, name=name)
    return found


def _histograms(recording: Recording, translation: Translation) -> dict[str, Histograms]:
    """Histograms by name: the canonical one of a metric that is a histogram, else the tag."""
    found: dict[str, Histograms] = {}
    for prefixed, raw in recording.histograms.items():
        tag = prefixed.removeprefix(PREFIX)
        known = translation.name_of(tag)
        entry = metric(known.metric) if known else None
        name = known.metric if known and entry and entry.kind == "histogram" and known.metric not in found else tag
        found[name] = raw.last_of_each_step(name, tag)
    return found


def _health(recording: Recording, merged: list[_Merged], series: Mapping[str, Series]) -> DataHealth:
    return DataHealth(
        points=sum(item.points for item in merged),
        nan=sum(item.nan for item in merged),
        inf=sum(item.inf for item in merged),
        duplicates=sum(len(item.series.replaced_steps) for item in merged),
        rewinds=max((item.rewinds for item in merged), default=0),  # once for the run: all its tags go back together
        gaps=_gaps([item for item in series.values() if not item.is_eval]),
        malformed=recording.malformed,
        unmapped_tags=tuple(sorted(name for name, item in series.items() if item.metric is None)),
    )


def _gaps(series: list[Series]) -> int:
    """How many steps are missing from the metric that is logged most often, at its usual distance between steps.

    A metric that is absent from some rows by design (rewards where a generation is used twice) makes no gap.
    """
    distances = np.diff(max((item.steps for item in series), key=len, default=NO_STEPS))
    if len(distances) == 0:
        return 0
    usual = float(np.median(distances))
    wide = distances[distances > GAP_FACTOR * usual]
    return int(np.sum(np.round(wide / usual) - 1))


def _status(status: Status, series: Mapping[str, Series], translation: Translation) -> Status:
    """The status, with what only the dialect knows: the planned steps, and an end that the format has no word for."""
    findings = translation.findings
    step, total = status.step, status.total if status.total is not None else findings.total
    if findings.counts_rows:
        step = max((int(item.steps[-1]) for item in series.values() if len(item)), default=None)
    has_all_steps = step is not None and total is not None and step >= total
    has_ended = status.state in _OPEN_STATES and (findings.has_finished or has_all_steps)
    return replace(status, state="finished" if has_ended else status.state, step=step, total=total)
