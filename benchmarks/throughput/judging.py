"""What the time budget says of a simulated training, beside what a simulation without each stage shows."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from benchmarks.throughput.layout import Layout
from benchmarks.throughput.simulation import Row, mean_step, simulate
from diagnostics.api import diagnose, open_run
from diagnostics.model.outcome import Severity
from diagnostics.runlog import RunLog
from diagnostics.time_budget.bottleneck import bottleneck
from diagnostics.time_budget.budget import time_budget

NEARLY = 0.8  # of the largest gain in seconds: either is right
NOTHING = 0.05  # of a step: a run without a stage that takes as much has no bottleneck


@dataclass(frozen=True, slots=True)
class Judged:
    """One training. `times` maps each stage to the time of a step without it, as a part of the present one."""

    layout: Layout
    times: Mapping[str, float]
    named: str | None
    rivals: tuple[str, ...]
    predicted: float | None
    is_bound: bool
    worst: Severity | None

    @property
    def right(self) -> tuple[str, ...]:
        """The stages whose removal helps most, or nearly as much."""
        most = 1 - min(self.times.values())
        return tuple(name for name, time in self.times.items() if 1 - time >= NEARLY * most)

    @property
    def has_bottleneck(self) -> bool:
        """Whether removing any stage gains a twentieth of a step."""
        return 1 - min(self.times.values()) >= NOTHING

    @property
    def is_right(self) -> bool:
        """Whether one of these is named; where nothing holds the training up, naming none is right as well."""
        return self.named in self.right or (self.named is None and not self.has_bottleneck)

    @property
    def error(self) -> float | None:
        """By how much the predicted speed-up misses that of removing the named stage; None for a mere bound."""
        if self.named is None or self.predicted is None or self.is_bound:
            return None
        return abs(self.times[self.named] / self.predicted - 1)


def judged(layout: Layout, steps: int, seed: int, folder: Path) -> Judged:
    """Simulate a training, write its log, and read and judge that as any other."""
    rows = simulate(layout, steps, seed)
    present = mean_step(rows)
    times = {stage: mean_step(simulate(layout.without(stage), steps, seed)) / present for stage in layout.stages}
    run = open_run(_written(rows, folder))
    budget = time_budget(run)
    found = None if budget is None else bottleneck(budget)
    fired = [outcome.severity for outcome in diagnose(run).fired if outcome.severity]
    return Judged(
        layout,
        times,
        named=None if found is None else found.stage,
        rivals=() if found is None else found.rivals,
        predicted=None if found is None else found.without,
        is_bound=found is not None and found.is_bound,
        worst=max(fired, key=lambda severity: severity.rank, default=None),
    )


def _written(rows: list[Row], folder: Path) -> Path:
    with RunLog(folder, name=folder.name, algorithm="grpo", config={}, total=len(rows)) as log:
        for step, row in enumerate(rows, start=1):
            log.log(step, row)
    return folder
