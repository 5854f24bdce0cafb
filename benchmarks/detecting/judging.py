"""One judged cell: the diagnosis of a run at its end, the episodes while it grew, and a few figures."""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import fmean
from typing import Any

import numpy as np

from benchmarks.detecting.cells import Cell
from benchmarks.detecting.replay import episodes, outcomes_by_step
from benchmarks.detecting.training import CPU_FILE, machine_of, run_folder
from diagnostics.api import diagnose, open_run
from diagnostics.model.cause import Cause
from diagnostics.model.diagnosis import Diagnosis
from diagnostics.model.outcome import Outcome, Severity, Verdict
from diagnostics.model.run import Run
from diagnostics.model.vocabulary.part_time import PART_TIME_METRICS
from diagnostics.model.vocabulary.time import TIME_METRICS

COMPARED = (31, 40)
"""The steps whose mean stands for a metric where sick runs are compared with healthy ones: all runs have them."""
_CLOCKS = frozenset({"episodes_per_second", *(each.name for each in (*TIME_METRICS, *PART_TIME_METRICS))})


@dataclass(frozen=True, slots=True)
class Judged:
    """A cell's result. `fired` maps rules to their severity; `episodes` are those while the run grew.

    `machine` is where it was trained; `means` holds the mean of each metric over the compared steps, NaN where one of
    its values is not finite.
    """

    cell: Mapping[str, Any]
    name: str
    cpu_seconds: float
    machine: str
    verdict: str
    fired: Mapping[str, str]
    skipped: tuple[str, ...]
    causes: tuple[Mapping[str, Any], ...]
    episodes: tuple[Mapping[str, Any], ...]
    means: Mapping[str, float]

    def to_dict(self) -> dict[str, Any]:
        """The JSON form."""
        return asdict(self)


def watch(cache: Path, cell: Cell) -> list[dict[str, Any]]:
    """The episodes while the cell's run grew. Raises UnreadableRun."""
    return watch_run(open_run(run_folder(cache, cell)))


def watch_run(run: Run, most: int | None = None) -> list[dict[str, Any]]:
    """The episodes while a run grew, looked at after each logged step or after `most` of them."""
    seen = ((step, _severities(found)) for step, found in outcomes_by_step(run, most))
    return [{**asdict(found), "severity": str(found.severity)} for found in episodes(seen)]


def judge(cache: Path, cell: Cell, watched: Sequence[Mapping[str, Any]]) -> Judged:
    """Judge the cell's run, given the episodes that `watch` found. Raises UnreadableRun."""
    folder = run_folder(cache, cell)
    run = open_run(folder)
    last = diagnose(run)
    return Judged(
        cell=asdict(cell),
        name=cell.name,
        cpu_seconds=float((folder / CPU_FILE).read_text("utf-8")),
        machine=machine_of(folder),
        **findings(last),
        episodes=tuple(watched),
        means=_means(run),
    )


def findings(last: Diagnosis) -> dict[str, Any]:
    """What a diagnosis says: its verdict, what fired, which rules could not run, and the causes in their order."""
    return {
        "verdict": str(last.verdict),
        "fired": {rule: str(severity) for rule, severity in sorted(_severities(last.outcomes).items())},
        "skipped": tuple(sorted(outcome.rule for outcome in last.blind_spots)),
        "causes": tuple(_cause_row(cause) for cause in last.causes),
    }


def _severities(outcomes: Iterable[Outcome]) -> dict[str, Severity]:
    fired = [outcome for outcome in outcomes if outcome.verdict is Verdict.FIRED]
    return {outcome.rule: outcome.severity or Severity.INFO for outcome in fired}


def _cause_row(cause: Cause) -> dict[str, Any]:
    rivals = [rival.cause for rival in cause.rivals]
    found = {"cause": cause.cause, "severity": str(cause.severity), "outcomes": list(cause.outcomes)}
    return {**found, "rivals": rivals}


def _means(run: Run) -> dict[str, float]:
    first, last = COMPARED
    found = {}
    for name, series in run.series.items():
        values = series.values[(first <= series.steps) & (series.steps <= last)]
        if len(values) and name not in _CLOCKS:
            found[name] = float(f"{fmean(values):.4g}") if np.isfinite(values).all() else math.nan
    return found
