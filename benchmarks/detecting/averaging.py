"""Rewrites a run's log as a trainer with a logging interval would: each point is the mean over several steps."""

import json
from collections.abc import Sequence
from pathlib import Path
from statistics import fmean
from typing import Any

from diagnostics.runlog import EVENTS_FILE


def average(run: Path, over: int) -> None:
    """Rewrite the run's log with one point per `over` steps; 1 leaves it unchanged.

    A metric's point is the mean over the steps that log it. An incomplete last interval is not logged.
    """
    if over == 1:
        return
    log = run / EVENTS_FILE
    rows = [json.loads(line) for line in log.read_text("utf-8").splitlines()]
    whole = [_mean(rows[start : start + over]) for start in range(0, len(rows) - over + 1, over)]
    log.write_text("".join(json.dumps(row) + "\n" for row in whole), "utf-8")


def _mean(rows: Sequence[dict[str, Any]]) -> dict[str, Any]:
    names = dict.fromkeys(name for row in rows for name in row["metrics"])
    means = {name: fmean(row["metrics"][name] for row in rows if name in row["metrics"]) for name in names}
    return {**rows[-1], "metrics": means}
