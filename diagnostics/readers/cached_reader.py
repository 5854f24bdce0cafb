"""Recordings of logs that no longer grow, served from the cache.

One mechanism for all formats: a reader names the files that its recording depends on and how to find its samples again;
as long as none of those files changes, the reader itself is not called.
"""

import json
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path
from typing import Any, Protocol, runtime_checkable

import numpy as np

from diagnostics.model.histograms import Histogram, Histograms
from diagnostics.model.recording import Recording, Source
from diagnostics.model.samples import Samples
from diagnostics.model.series import RawSeries
from diagnostics.model.status import Status
from diagnostics.readers.base import Reader
from diagnostics.readers.cache import Array, Entry, Identity, identities, is_worth_keeping, load, save
from diagnostics.told import from_plain, plain

_FACTS = (
    *("run_id", "name", "config", "text", "created", "producer", "producer_version", "algorithm", "task", "parent"),
    *("console_tail", "malformed", "rounded_to", "is_printed", "device"),
)
_LIVING = frozenset({"running", "starting"})
_PLAIN = (str, int, float, bool, type(None))


@runtime_checkable
class Cacheable(Reader, Protocol):
    """A reader whose recordings can be cached."""

    path: Path

    def files(self) -> tuple[Path, ...]:
        """Every file and folder that the recording depends on, including missing ones. Raises UnreadableRun."""
        ...

    def name(self) -> str:
        """The run's name if it depends on the run's location; empty if the files themselves contain it."""
        ...

    def sample_index(self) -> Any:
        """Where the samples are stored, as JSON-serialisable data."""
        ...

    def samples_of(self, index: Any) -> Samples:
        """The samples that an index points to."""
        ...


class CachedReader:
    """Wraps a reader and calls it only if the cache has no current entry."""

    def __init__(self, reader: Cacheable) -> None:
        self._reader = reader
        self._found: Recording | None = None  # in the cache
        self._identities: list[Identity] = []
        self._was_asked = False

    def refresh(self) -> Recording:
        """The run's current Recording; the same object as the last call if nothing changed. Raises UnreadableRun."""
        if self._was_asked:
            return self._reader.refresh()
        files = self._reader.files()
        now = identities(files)
        if self._found is None:
            self._found, self._identities = self._load_cached(now), now
        if self._found is not None and now == self._identities:
            return self._found
        self._was_asked, self._found = True, None
        recording = self._reader.refresh()
        if recording.status.state not in _LIVING and is_worth_keeping(now):
            self._save_to_cache(recording, now)
        return recording

    def _save_to_cache(self, recording: Recording, files: list[Identity]) -> None:
        """Store a recording in the cache, with file identities taken before the files were read."""
        facts = {name: getattr(recording, name) for name in _FACTS} | {
            "tags": list(recording.tags),
            "histograms": list(recording.histograms),
            "status": asdict(recording.status),
            "sources": [[source.format, str(source.path)] for source in recording.sources],
            "console": recording.console and str(recording.console),
            "resumed_after": list(recording.resumed_after),
            "notes": list(map(plain, recording.notes)),
            "samples": self._reader.sample_index(),
        }
        arrays = [array for raw in recording.tags.values() for array in (raw.steps, raw.values, raw.times)]
        for found in recording.histograms.values():
            arrays += _arrays(found)
        if _is_plain(facts):
            save(self._key, files, Entry(json.dumps(facts), tuple(arrays)))

    def _load_cached(self, files: list[Identity]) -> Recording | None:
        """The cached recording of these files; None if there is none or it cannot be decoded."""
        entry = load(self._key, files)
        if entry is None:
            return None
        with suppress(ValueError, KeyError, TypeError, StopIteration):
            return self._recording(json.loads(entry.facts), iter(entry.arrays))
        return None

    def _recording(self, facts: Mapping[str, Any], arrays: Iterator[Array]) -> Recording:
        tags = {tag: RawSeries(tag, next(arrays), next(arrays), next(arrays)) for tag in facts["tags"]}
        histograms = {tag: _histograms(tag, *(next(arrays) for _ in range(5))) for tag in facts["histograms"]}
        known = {name: facts[name] for name in _FACTS} | {"name": self._reader.name() or facts["name"]}
        return Recording(
            path=self._reader.path,
            sources=tuple(Source(form, Path(path)) for form, path in facts["sources"]),
            tags=tags,
            histograms=histograms,
            samples=self._reader.samples_of(facts["samples"]),
            status=Status(**facts["status"]),
            console=facts["console"] and Path(facts["console"]),
            resumed_after=tuple(facts["resumed_after"]),
            notes=tuple(map(from_plain, facts["notes"])),
            **known,
        )

    @property
    def _key(self) -> str:
        return f"{type(self._reader).__module__} {self._reader.path.absolute()}"


def _is_plain(value: Any) -> bool:
    """Whether a value survives a round trip through JSON unchanged."""
    if isinstance(value, dict):
        return all(type(name) is str and _is_plain(held) for name, held in value.items())
    return all(map(_is_plain, value)) if type(value) is list else type(value) in _PLAIN


def _arrays(found: Histograms) -> tuple[Array, ...]:
    """Steps, number of bins per histogram, non-finite counts, and the edges and counts of all histograms."""
    sizes = np.array([len(bins.counts) for bins in found.bins], dtype=np.int64)
    others = np.array([[bins.nan, bins.inf, bins.minus_inf] for bins in found.bins], dtype=np.int64)
    edges = np.concatenate([bins.edges for bins in found.bins])
    return found.steps, sizes, others.reshape(-1), edges, np.concatenate([bins.counts for bins in found.bins])


def _histograms(tag: str, steps: Array, sizes: Array, others: Array, edges: Array, counts: Array) -> Histograms:
    bins: list[Histogram] = []
    edge = count = 0
    for size, not_finite in zip(sizes.tolist(), others.reshape(-1, 3).tolist(), strict=True):
        width = size + bool(size)
        bins.append(Histogram(edges[edge : edge + width], counts[count : count + size], *not_finite))
        edge, count = edge + width, count + size
    return Histograms(tag, tag, steps, tuple(bins))
