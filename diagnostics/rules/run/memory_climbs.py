"""Memory climbs from step to step and does not come back: it will run out, and when.

What it checks
    The memory of GPUs, host and process, after the first points: the lowest value of each sixth of the run, or of its
    latest half, lies above that of the sixth before, and no one rise is more than half of all. Over that time it must
    have gained a tenth (a note), or half (a warning), of what it was. Where the limit is known (set by you, or printed
    by torch, vLLM or ray), Theil and Sen's line and its 95 % interval say at which step it is reached: before the
    planned end by the fastest pace is a warning, by the slowest as well is critical. Where no memory is logged, what
    vLLM says it still holds asleep counts.

Why it matters
    The run dies at a step that can be known beforehand, often after days, by an error that names whoever asked for
    memory last. ray kills workers at 0.95 of a node's memory.

When it is wrong
    Caches that fill up, such as a data set read bit by bit, rise steadily until they are full. Without a limit nothing
    says that memory will run out. A sawtooth, a spike at an evaluation and one jump to another level do not count.

What to try
    Save a checkpoint before that step and resume from it. Another release of the rollout engine; less offloading to the
    host; a look at what the reward functions keep.

References
    NeMo-RL issue 2619: 4, 12, then 25 GiB still in use after sleep; verl issues 429 and 4995: ray killed the run after
    116 steps; OpenRLHF issue 1065.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from diagnostics.detectors.episodes import Episode
from diagnostics.detectors.growth import Growth, growth, is_steady
from diagnostics.last_words.memory_sizes import gpu_size, kept_asleep, node_limit
from diagnostics.model.messages import Message
from diagnostics.model.outcome import Severity
from diagnostics.model.run import Run
from diagnostics.model.series import Series
from diagnostics.rules.limits import RuleLimits, limit
from diagnostics.rules.rule import Fired, Quiet, RuleResult, english
from diagnostics.rules.run.endings import ended
from diagnostics.rules.run.run_rule import RunRule, too_few

GPU_METRICS = ("gpu_memory_allocated", "gpu_memory_reserved")
SMALLEST = 1e-3  # GB: what a gain is compared with is at least this
NODE_METRICS = ("host_memory_used", "process_memory")


class Limits(RuleLimits):
    """How much memory there is, and which growth counts."""

    gpu: float = limit(0.0, "GB", "what a GPU has; 0: what the log says, where it says it")
    node: float = limit(0.0, "GB", "what the node allows; 0: what the log says, where it says it")
    note: float = limit(0.1, "of what it was", "engineering default")
    warning: float = limit(0.5, "of what it was", "engineering default")
    fewest: int = limit(30, "logged points", "engineering default: five in each sixth")
    warm_up: int = limit(5, "logged points", "engineering default: models and caches are set up")
    readings: int = limit(4, "lines of vLLM", "engineering default")


@dataclass(frozen=True, slots=True)
class Climb:
    """A series that climbs from one of its points on: its lines, its gain as a part of what it was, and its limit."""

    series: Series
    first: int
    lines: Growth
    share: float
    limit: float | None
    total: int | None

    def severity(self, limits: Limits) -> Severity:
        """Critical only where even the slowest line reaches a known limit before the planned end."""
        by_growth = Severity.WARNING if self.share >= limits.warning else Severity.INFO
        if self.limit is None or self.total is None:
            return by_growth
        if self.lines.slowest.reaches(self.limit) < self.total:
            return Severity.CRITICAL
        return Severity.WARNING if self.lines.fastest.reaches(self.limit) < self.total else Severity.INFO


class MemoryClimbs(RunRule[Limits]):
    """Judges the memory of GPUs, host and process."""

    code = "RV113"
    name = "memory-climbs"
    grade = "I"
    source = "NeMo-RL issue 2619; verl issues 429 and 4995"
    inputs = ()
    limits = Limits()
    remedies = ("restarts", "later-engine", "less-on-the-host")
    texts = english(
        headline="Memory climbs from step to step.",
        fired="{title} grew by {pace} GB per step from step {first} to {last}, to {measured} GB, and did not come "
        "back. At that pace it reaches {limit} GB at step {likely} ({interval}){plan}.",
        growing="{title} grew by {pace} GB per step from step {first} to {last}, to {measured} GB, and did not come "
        "back. At that pace it will have doubled at step {doubled}; how much there is, the log does not say.",
        asleep="vLLM held ever more memory while it slept: {before} GiB first, {now} GiB after {count} times.",
    )

    def applies(self, run: Run) -> bool:
        """Only where memory is logged, or vLLM prints what it holds."""
        is_logged = any(self.has(run, name) for name in (*GPU_METRICS, *NODE_METRICS))
        return super().applies(run) and (is_logged or bool(kept_asleep(run.console_tail)))

    def check(self, run: Run, limits: Limits) -> RuleResult:
        logged = [series for name in (*GPU_METRICS, *NODE_METRICS) if (series := run.get(name)) is not None]
        climbs = [climb for series in logged for climb in _climbs(series, run, limits)]
        if climbs:
            return self._climbing(max(climbs, key=lambda climb: (climb.severity(limits).rank, climb.share)), limits)
        if (asleep := self._asleep(run, limits)) is not None:
            return asleep
        longest = max((int(series.finite.sum()) for series in logged), default=0)
        needed = limits.warm_up + limits.fewest
        return too_few(needed, longest) if longest < needed else Quiet(0.0, limits.note, "of what it was")

    def _climbing(self, climb: Climb, limits: Limits) -> Fired:
        series, line = climb.series, climb.lines.likely
        reached = {} if climb.limit is None else self._reached(climb, climb.limit)
        values: dict[str, Any] = {"pace": line.slope, "doubled": round(line.reaches(2 * line.level)), **reached}
        return self.fired(
            series,
            Episode(climb.first, len(series) - 1, still=True),
            climb.severity(limits),
            measured=line.level,
            limit=climb.limit,
            key="growing" if climb.limit is None else "fired",
            **values,
        )

    @staticmethod
    def _reached(climb: Climb, known: float) -> dict[str, int | Message]:
        """When the limit is reached, and whether that is before the planned end."""
        lines = climb.lines
        earliest, latest = lines.fastest.reaches(known), lines.slowest.reaches(known)
        interval = (
            _part("between", earliest=round(earliest), latest=round(latest))
            if np.isfinite(latest)
            else _part("from", earliest=round(earliest))
        )
        likely = lines.likely.reaches(known)
        plan = "nothing" if climb.total is None else "in-time" if likely < climb.total else "too-late"
        return {"likely": round(likely), "interval": interval, "plan": _part(plan, total=climb.total or 0)}

    def _asleep(self, run: Run, limits: Limits) -> Fired | None:
        """The finding that vLLM holds ever more while it sleeps."""
        kept = np.array(kept_asleep(run.console_tail))
        if len(kept) < limits.readings or kept[-1] < (1 + limits.warning) * kept[0]:
            return None
        if np.any(np.diff(kept) < -limits.note * kept[:-1]):
            return None
        message = self.message("asleep", before=float(kept[0]), now=float(kept[-1]), count=len(kept))
        step = run.last_step or 0
        return ended(message, self.message("headline"), Severity.WARNING, step=step, messages=len(kept))


def _climbs(series: Series, run: Run, limits: Limits) -> Iterator[Climb]:
    """How the whole series climbs after its warm-up, else how its latest half does."""
    points = len(series)
    for first in (limits.warm_up, points - (points - limits.warm_up) // 2):
        steps, values = series.steps[first:], series.values[first:]
        if len(values) < limits.fewest or not is_steady(values):
            continue
        lines = growth(steps, values)
        if lines is None or lines.slowest.slope <= 0:
            continue
        gained = lines.likely.slope * float(steps[-1] - steps[0])
        before = max(lines.likely.level - gained, SMALLEST)
        if gained >= limits.note * before:
            yield Climb(series, first, lines, gained / before, _limit_of(series.name, run, limits), run.status.total)
            return


def _part(name: str, **values: int) -> Message:
    """A part of the sentence about what is to come."""
    return Message(f"ending.{name}", values)


def _limit_of(metric: str, run: Run, limits: Limits) -> float | None:
    """How much memory there is of this kind, where it is known."""
    said = f"{run.console_tail}\n{run.status.error or ''}"
    if metric in GPU_METRICS:
        return limits.gpu or gpu_size(said)
    return limits.node or node_limit(said)
