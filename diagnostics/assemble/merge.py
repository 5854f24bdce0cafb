"""Merges the logs that one training left in several formats into one recording, and notes where they disagree."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from diagnostics.assemble.overlap import Disagreement, Overlap
from diagnostics.model.recording import Recording
from diagnostics.model.samples import Samples
from diagnostics.model.series import RawSeries
from diagnostics.model.status import Status
from diagnostics.producers.table import CALL_PREFIXES
from diagnostics.producers.transport import PREFIX

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
        tags, disagreement = self._merged_tags(first.tags, second.tags)
        return replace(
            first,
            sources=(*first.sources, *second.sources),
            tags=tags,
            histograms={**second.histograms, **first.histograms},
            config=first.config or second.config,
            text={**second.text, **{name: text for name, text in first.text.items() if text}},
            status=_status(first.status, second.status),
            created=first.created if second.created is None else min(first.created or second.created, second.created),
            console=first.console or second.console,
            console_tail=first.console_tail or second.console_tail,
            malformed=first.malformed + second.malformed,
            rounded_to=min(first.rounded_to, second.rounded_to),
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
        f"{names[0]} and {names[1]} disagree at {disagreement.points} points, first on {example.tag} at step "
        f"{example.step}: {example.first:.6g} against {example.second:.6g}; the former is shown",
    )


def _samples(logs: Sequence[Samples]) -> Samples:
    """The samples of all logs; if several have a step, the log with the most samples counts."""
    held = sorted((samples for samples in logs if samples.steps), key=lambda samples: -len(samples.steps))
    if len(held) < 2:
        return held[0] if held else logs[0]
    log_of = {step: samples for samples in reversed(held) for step in samples.steps}
    followed = {step for samples in held for step in samples.followed_steps}
    return Samples(tuple(sorted(log_of)), lambda step: log_of[step].at(step), tuple(sorted(followed)))


def _status(first: Status, second: Status) -> Status:
    """The most informative log's status, with the furthest step that any of them saw."""
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
