"""Merges the logs that one training left in several formats into one recording, and notes where they disagree."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from diagnostics.assemble.overlap import Disagreement, Overlap
from diagnostics.assemble.printed import rows_behind
from diagnostics.model.recording import Recording
from diagnostics.model.samples import Samples
from diagnostics.model.series import RawSeries
from diagnostics.model.status import Status
from diagnostics.producers.table import CALL_PREFIXES
from diagnostics.producers.transport import PREFIX
from diagnostics.told import told

_TELLS_MOST = ("failed", "died", "stopped", "finished", "running", "starting", "queued", "silent", "unknown")


def merge(recordings: Sequence[Recording]) -> Recording:
    """One recording of all; where logs overlap the first one counts, and the others fill its gaps."""
    return Merger().merge(recordings)


class Merger:
    """Merges the logs of one run repeatedly as they grow: the result of `merge`, processing only new points."""

    def __init__(self) -> None:
        self._pairs: list[_Pair] = []

    def merge(self, recordings: Sequence[Recording]) -> Recording:
        """One recording of all, the leading one first."""
        self._pairs += [_Pair() for _ in recordings[1 + len(self._pairs) :]]
        merged = recordings[0]
        for pair, other in zip(self._pairs, recordings[1:], strict=False):
            merged = pair.merge(merged, other)
        return (
            merged if len(recordings) == 1 else replace(merged, samples=_samples([log.samples for log in recordings]))
        )


class _Pair:
    """The leading recording so far, and the next log."""

    def __init__(self) -> None:
        self._overlaps: dict[str, Overlap] = {}

    def merge(self, first: Recording, second: Recording) -> Recording:
        if second.is_printed and not first.is_printed:
            second = rows_behind(first, second)
        tags, disagreement = self._merged_tags(first.tags, second.tags)
        return replace(
            first,
            sources=(*first.sources, *second.sources),
            tags=tags,
            histograms={**second.histograms, **first.histograms},
            config=first.config or second.config,
            text={**second.text, **{name: text for name, text in first.text.items() if text}},
            status=_status(first, second),
            created=first.created if second.created is None else min(first.created or second.created, second.created),
            console=first.console or second.console,
            console_tail=_console_tail(first, second),
            device=first.device or second.device,
            malformed=first.malformed + second.malformed,
            rounded_to=max(first.rounded_to, second.rounded_to),
            notes=(*first.notes, *second.notes, *_disagreement_note(disagreement, first, second)),
        )

    def _merged_tags(
        self, first: Mapping[str, RawSeries], second: Mapping[str, RawSeries]
    ) -> tuple[dict[str, RawSeries], Disagreement]:
        """All tags; a tag in both (ignoring a tracker's prefix) has the points of both."""
        by_name = {_without_prefix(tag): tag for tag in first}
        merged, told = dict(first), Disagreement()
        for tag, series in second.items():
            same = by_name.get(_without_prefix(tag))
            if same is None:
                merged[tag] = series
                continue
            merged[same], found = self._overlaps.setdefault(tag, Overlap()).merge(merged[same], series)
            if not _without_prefix(tag).startswith(CALL_PREFIXES):
                told += found
        return merged, told


def _without_prefix(tag: str) -> str:
    return tag.removeprefix(PREFIX)


def _disagreement_note(disagreement: Disagreement, first: Recording, second: Recording) -> tuple[str, ...]:
    example, names = disagreement.example, (first.sources[-1].format, second.sources[0].format)
    if example is None:
        return ()
    return (
        told(
            "{former} and {latter} disagree at {count} points, first on {tag} at step {step}: {value} against {other}; "
            "the former is shown",
            former=names[0],
            latter=names[1],
            count=disagreement.points,
            tag=example.tag,
            step=example.step,
            value=f"{example.first:.6g}",
            other=f"{example.second:.6g}",
        ),
    )


def _console_tail(first: Recording, second: Recording) -> str:
    """The last lines by whoever read the rows among them, so that they are those since the last row."""
    is_read = second.is_printed and second.console == first.console
    return second.console_tail if is_read else first.console_tail or second.console_tail


def _samples(logs: Sequence[Samples]) -> Samples:
    """The samples of all logs; if several have a step, the log with the most samples counts."""
    held = sorted((samples for samples in logs if samples.steps), key=lambda samples: -len(samples.steps))
    if len(held) < 2:
        return held[0] if held else logs[0]
    log_of = {step: samples for samples in reversed(held) for step in samples.steps}
    followed = {step for samples in held for step in samples.followed_steps}
    return Samples(tuple(sorted(log_of)), lambda step: log_of[step].at(step), tuple(sorted(followed)))


def _status(first: Recording, second: Recording) -> Status:
    """The most informative log's status, with the furthest step that any of them saw.

    When they were last written, and so whether they still are, is known best by those that hold the times of their
    rows, and least by what was printed: a file's own time is that of its last copy.
    """
    both = [first.status, second.status]
    timed = [log.status for log in (first, second) if _has_times(log)]
    timed = timed or [log.status for log in (first, second) if not log.is_printed] or both
    best = min((status for status in both if status in timed or status.has_ended), key=_place)
    steps = [status.step for status in both if status.step is not None]
    return replace(
        best,
        step=max(steps, default=None),
        total=next((status.total for status in both if status.total is not None), None),
        last_written=_latest(status.last_written for status in timed),
        error=first.status.error or second.status.error,
        last_printed=_latest(status.last_printed for status in both),
        last_sampled=_latest(status.last_sampled for status in both),
    )


def _latest(moments: Iterable[float | None]) -> float | None:
    return max((moment for moment in moments if moment is not None), default=None)


def _place(status: Status) -> int:
    return _TELLS_MOST.index(status.state)


def _has_times(log: Recording) -> bool:
    return any(len(series.times) for series in log.tags.values())
