"""One training run as everything downstream sees it: frozen series, samples, configuration, provenance and status."""

from bisect import bisect_left
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from diagnostics.model.histograms import Histograms
from diagnostics.model.messages import one_line
from diagnostics.model.metrics import EVAL_PREFIX, Metric, metric

Steps = npt.NDArray[np.int64]
Values = npt.NDArray[np.float64]

PPO_FAMILY = frozenset({"ppo", "ppo-legacy"})
"""The algorithms with a value model."""
GROUP_FAMILY = frozenset({"grpo", "rloo"})
"""The algorithms that compare the answers to one prompt."""

NO_STEPS: Steps = np.empty(0, dtype=np.int64)
NO_VALUES: Values = np.empty(0, dtype=np.float64)


@dataclass(frozen=True, slots=True)
class RawSeries:
    """What a file holds under one tag, in file order: nothing sorted, merged or dropped.

    steps (N,) int64 · values (N,) float64, NaN and ±Inf kept · times (N,) float64 seconds since the epoch, or empty.
    """

    tag: str
    steps: Steps
    values: Values
    times: Values = field(default_factory=lambda: NO_VALUES)


@dataclass(frozen=True, slots=True)
class Series:
    """One metric over the run: steps strictly increasing, the last point kept where the log has several for a step.

    steps (N,) int64 · values (N,) float64 in the metric's unit, NaN and ±Inf kept · times (N,) seconds since the
    epoch, or empty. `name` is the canonical name or, for an unmapped tag, the tag; `tag` is what the producer calls it,
    without the transport's prefix. `caveat` says where the producer's meaning differs from the vocabulary's. The points
    that a later one replaced (a resumed run that logged a step twice) stay in `replaced_steps`, `replaced_values`.
    """

    name: str
    tag: str
    steps: Steps
    values: Values
    times: Values = field(default_factory=lambda: NO_VALUES)
    caveat: str = ""
    replaced_steps: Steps = field(default_factory=lambda: NO_STEPS)
    replaced_values: Values = field(default_factory=lambda: NO_VALUES)

    def __len__(self) -> int:
        return len(self.steps)

    @property
    def metric(self) -> Metric | None:
        """The vocabulary's entry; None for an unmapped tag."""
        return metric(self.name)

    @property
    def unit(self) -> str:
        return self.metric.unit if self.metric else ""

    @property
    def is_eval(self) -> bool:
        return self.name.startswith(EVAL_PREFIX)

    @property
    def finite(self) -> npt.NDArray[np.bool_]:
        """(N,) True where the value is a number, neither NaN nor ±Inf."""
        return np.isfinite(self.values)


@dataclass(frozen=True, slots=True)
class Sample:
    """One sampled completion. `terminated` is False where it was cut off, None where the log does not say."""

    step: int
    query: str
    response: str
    score: float | None = None
    rewards: Mapping[str, float] = field(default_factory=dict)
    advantage: float | None = None
    terminated: bool | None = None
    length: int | None = None  # tokens
    group: int | None = None  # samples of one prompt at one step share it
    split: str = "train"  # "eval" for an answer to a prompt that is held out of training
    followed: bool = False  # an answer to one of the few prompts that are answered again and again
    extra: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Samples:
    """The sampled completions of a run, read from disk one step at a time. `steps` are increasing."""

    steps: tuple[int, ...] = ()
    load: Callable[[int], tuple[Sample, ...]] = lambda step: ()
    followed_steps: tuple[int, ...] = ()  # those with answers to the followed prompts
    memo: dict[int, Any] | None = field(default=None, compare=False)
    """By step, what those who look at it again and again made of it; None where the samples may still change."""

    def at(self, step: int) -> tuple[Sample, ...]:
        """All samples of one step, in file order; empty for a step without samples."""
        return self.load(step) if self.has(step) else ()

    def of_training(self, step: int) -> tuple[Sample, ...]:
        """Those of one step that were trained on: answers to held-out prompts may be greedy, and scored by others."""
        return tuple(sample for sample in self.at(step) if sample.split == "train")

    def has(self, step: int) -> bool:
        """Whether there are samples of this step."""
        place = bisect_left(self.steps, step)
        return place < len(self.steps) and self.steps[place] == step

    def remembered(self) -> "Samples":
        """The same samples; each step is read from disk once at most, and kept as long as the returned object lives."""
        return replace(self, load=cache(self.load), memo={})


@dataclass(frozen=True, slots=True)
class Source:
    """One file or folder that a run was read from."""

    format: str
    path: Path


LONGEST_ERROR = 600  # characters shown
_ENDS = frozenset({"finished", "stopped", "failed", "died"})


@dataclass(frozen=True, slots=True)
class Status:
    """Where the training stands. `state` is one of the states of the public JSON report.

    `last_written` is when the run's files last said that it lives (heartbeat, or the newest event), in seconds since
    the epoch; `total` the planned steps.
    """

    state: str = "unknown"
    step: int | None = None
    total: int | None = None
    last_written: float | None = None
    error: str | None = None
    is_ours: bool = False  # started by rlvitals on this host: it can be stopped from here

    @property
    def has_ended(self) -> bool:
        """Whether it trains no more, said so or not."""
        return self.state in _ENDS

    @property
    def short_error(self) -> str:
        """The error for a page; one line where it is long, as what quotes a model's answer can be. Empty for none."""
        error = self.error or ""
        return error if len(error) <= LONGEST_ERROR else one_line(error, LONGEST_ERROR)


@dataclass(frozen=True, slots=True)
class DataHealth:
    """What the log itself looks like, counted over all series. A rewind is a place where the steps went back.

    `rounded_to` is the least number above 0 that the log can show, where it rounds: what is smaller reads 0 there.
    """

    points: int = 0
    nan: int = 0
    inf: int = 0
    duplicates: int = 0
    rewinds: int = 0
    gaps: int = 0
    malformed: int = 0
    unmapped_tags: tuple[str, ...] = ()
    rounded_to: float = 0.0


@dataclass(frozen=True, slots=True)
class Recording:
    """What a reader found at one path: tags and values untouched, before any producer's names are understood.

    `producer` and `algorithm` are set only where the format itself says so (our run log); dialects find out the rest.
    `text` holds text records (TensorBoard's `args/text_summary`); `notes` are sentences about what could not be read.
    `resumed_after` lists the steps from which the run says that it went on; `rounded_to` is that of `DataHealth`.
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
    console_tail: str = ""  # the last lines of a run that failed or died
    resumed_after: tuple[int, ...] = ()
    malformed: int = 0
    rounded_to: float = 0.0
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Run:
    """One training run, read whole. Nothing here changes; a growing run is read again as a new Run.

    `series` maps a canonical metric name, or an unmapped tag, to its Series; `histograms` does the same. `config` is
    flat, in the producer's argument names. `observed_at` (seconds since the epoch) is the moment of reading: rules have
    no clock of their own.
    """

    path: Path
    run_id: str
    name: str
    sources: tuple[Source, ...]
    producer: str
    producer_version: str | None
    algorithm: str
    series: Mapping[str, Series]
    config: Mapping[str, Any]
    samples: Samples
    status: Status
    data_health: DataHealth
    observed_at: float
    histograms: Mapping[str, Histograms] = field(default_factory=dict)
    created: float | None = None
    task: str = ""
    parent: str | None = None
    console: Path | None = None
    console_tail: str = ""  # the last lines of a run that failed or died
    resumed_after: tuple[int, ...] = ()  # steps of the checkpoints that it went on from
    notes: tuple[str, ...] = ()

    def get(self, *names: str) -> Series | None:
        """The first of these metrics that the run logs with at least one point."""
        return next((self.series[name] for name in names if name in self.series and len(self.series[name])), None)

    def functions(self, base: str) -> dict[str, Series]:
        """The series of one metric for each reward function, by function name: `functions("reward_func_mean")`."""
        prefix = base + "/"
        return {name.removeprefix(prefix): series for name, series in self.series.items() if name.startswith(prefix)}

    @property
    def steps(self) -> Steps:
        """(N,) every step at which anything was logged, increasing."""
        parts = [series.steps for series in self.series.values()]
        return np.unique(np.concatenate(parts)) if parts else NO_STEPS
