"""A recording: the contents of one log, before any producer's names are understood."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from diagnostics.model.histograms import Histograms
from diagnostics.model.samples import Samples
from diagnostics.model.series import RawSeries
from diagnostics.model.status import Status


@dataclass(frozen=True, slots=True)
class Source:
    """One file or folder that a run was read from."""

    format: str
    path: Path


@dataclass(frozen=True, slots=True)
class Recording:
    """What a reader found at one path: tags and values untouched, before any producer's names are understood.

    `producer` and `algorithm` are set only where the format itself states them (our run log); else the tags show them.
    `text` holds text records (TensorBoard's `args/text_summary`); `notes` are sentences about what could not be read.
    `resumed_after` lists the steps from which the run states that it resumed; `rounded_to` is that of `DataHealth`.
    """

    path: Path
    sources: tuple[Source, ...]
    run_id: str
    name: str
    tags: Mapping[str, RawSeries]
    histograms: Mapping[str, Histograms] = field(default_factory=dict)
    config: Mapping[str, Any] = field(default_factory=dict)
    text: Mapping[str, str] = field(default_factory=dict)
    samples: Samples = field(default_factory=Samples)
    status: Status = field(default_factory=Status)
    created: float | None = None
    producer: str = ""
    producer_version: str | None = None
    algorithm: str = ""
    task: str = ""
    parent: str | None = None
    console: Path | None = None
    console_tail: str = ""  # the last lines of a run that has not ended as planned
    device: str = ""  # the kind of device that trains, where the format itself states it: "cuda", "cpu"
    resumed_after: tuple[int, ...] = ()
    malformed: int = 0
    rounded_to: float = 0.0
    is_printed: bool = False  # a printed copy: its numbers are shortened, its steps may be inferred
    notes: tuple[str, ...] = ()
