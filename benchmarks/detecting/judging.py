"""One judged cell: what the rules and causes say of a run at its end and while it grew, reduced to a few figures."""

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import fmean
from typing import Any

import numpy as np

from benchmarks.detecting.cells import Cell
from benchmarks.detecting.replay import Episode, episodes, looks
from benchmarks.detecting.training import CPU_FILE, run_folder
from diagnostics.api import diagnose, open_run
from diagnostics.diagnosis import Cause, Diagnosis, Severity
from diagnostics.run import Run

COMPARED = (31, 40)
"""The steps whose mean stands for a metric where sick runs are compared with healthy ones: all runs have them."""
_CLOCKS = frozenset({"episodes_per_second", "step_time"})


@dataclass(frozen=True, slots=True)
class Judged:
    """A cell's result. Rules that fired map to their severity; episodes are those seen while the run grew.

    `means` has the mean of each metric over the steps that are compared, NaN where one of its values is not finite.
    """

    cell: Mapping[str, Any]
    name: str
    cpu_seconds: float
    verdict: str
    fired: Mapping[str, str]
    skipped: tuple[str, ...]
    causes: tuple[Mapping[str, Any], ...]
    episodes: tuple[Mapping[str, Any], ...]
    means: Mapping[str, float]

    def to_dict(self) -> dict[str, Any]:
        """The JSON form."""
        return asdict(self)


def judge(cache: Path, cell: Cell) -> Judged:
    """Judge the cell's run, which the cache holds. Raises UnreadableRun."""
    folder = run_folder(cache, cell)
    run = open_run(folder)
    last = diagnose(run)
    seen = episodes((step, _severities(diagnosis)) for step, diagnosis in looks(run))
    return Judged(
        cell=asdict(cell),
        name=cell.name,
        cpu_seconds=float((folder / CPU_FILE).read_text("utf-8")),
        verdict=str(last.verdict),
        fired={rule: str(severity) for rule, severity in sorted(_severities(last).items())},
        skipped=tuple(sorted(outcome.rule for outcome in last.blind_spots)),
        causes=tuple(_cause_row(cause) for cause in last.causes),
        episodes=tuple(map(_episode_row, seen)),
        means=_means(run),
    )


def _severities(diagnosis: Diagnosis) -> dict[str, Severity]:
    return {outcome.rule: outcome.severity or Severity.INFO for outcome in diagnosis.fired}


def _episode_row(episode: Episode) -> dict[str, Any]:
    return {**asdict(episode), "severity": str(episode.severity)}


def _cause_row(cause: Cause) -> dict[str, Any]:
    return {"cause": cause.cause, "severity": str(cause.severity), "outcomes": list(cause.outcomes)}


def _means(run: Run) -> dict[str, float]:
    first, last = COMPARED
    found = {}
    for name, series in run.series.items():
        values = series.values[(first <= series.steps) & (series.steps <= last)]
        if len(values) and name not in _CLOCKS:
            found[name] = float(f"{fmean(values):.4g}") if np.isfinite(values).all() else math.nan
    return found
