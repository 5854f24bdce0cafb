"""Kept recordings: what was read of a finished log of numbers, as the cache holds it, so that it opens at once."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import numpy as np

from diagnostics.histograms import Histogram, Histograms
from diagnostics.readers.cache import Array, Entry, is_worth_keeping, load, save
from diagnostics.run import RawSeries, Recording, Status

_FACTS = ("run_id", "name", "config", "text", "created", "malformed", "notes")
_LIVING = frozenset({"running", "starting"})


def recall(files: Sequence[Path], blank: Recording) -> Recording | None:
    """What the cache holds of these files; path and sources are those of `blank`."""
    entry = load(files)
    if entry is None:
        return None
    facts, arrays = entry.facts, iter(entry.arrays)
    tags = {tag: RawSeries(tag, next(arrays), next(arrays), next(arrays)) for tag in facts["tags"]}
    histograms = {tag: _histograms(tag, *(next(arrays) for _ in range(4))) for tag in facts["histograms"]}
    known = {name: facts[name] for name in _FACTS} | {"notes": tuple(facts["notes"])}
    return replace(blank, tags=tags, histograms=histograms, status=Status(**facts["status"]), **known)


def keep(files: Sequence[Path], recording: Recording) -> None:
    """Put a recording into the cache, unless it is small or its run may still live."""
    if recording.status.state in _LIVING or recording.samples.steps or not is_worth_keeping(files):
        return
    facts: Mapping[str, Any] = {name: getattr(recording, name) for name in _FACTS} | {
        "tags": list(recording.tags),
        "histograms": list(recording.histograms),
        "status": asdict(recording.status),
    }
    arrays = [array for raw in recording.tags.values() for array in (raw.steps, raw.values, raw.times)]
    for found in recording.histograms.values():
        arrays += _arrays(found)
    save(files, Entry(facts, tuple(arrays)))


def _arrays(found: Histograms) -> tuple[Array, ...]:
    """Steps, how many bins each histogram has, and the edges and counts of all."""
    sizes = np.array([len(bins.counts) for bins in found.bins], dtype=np.int64)
    edges = np.concatenate([bins.edges for bins in found.bins])
    return found.steps, sizes, edges, np.concatenate([bins.counts for bins in found.bins])


def _histograms(tag: str, steps: Array, sizes: Array, edges: Array, counts: Array) -> Histograms:
    bins: list[Histogram] = []
    edge = count = 0
    for size in sizes.tolist():
        width = size + bool(size)
        bins.append(Histogram(edges[edge : edge + width], counts[count : count + size]))
        edge, count = edge + width, count + size
    return Histograms(tag, tag, steps, tuple(bins))
