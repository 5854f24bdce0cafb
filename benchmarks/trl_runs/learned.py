"""A detector that learns from labelled runs, to compare with rules that nobody trained: how much do the numbers show?

PYTHON -m benchmarks.trl_runs.learned ROWS < cases.json

PYTHON has benchmarks/peers-requirements.txt, ROWS holds a folder of logged rows per run (benchmarks.trl_runs.peers),
and cases.json lists runs: [{"name": …, "task": …, "algorithm": …, "is_sick": …}, …]. Prints {name: share of the trees
that call it sick}, where no tree has seen a run of the same task. It needs labels, tells no cause, and sees each run
whole.
"""

import json
import sys
from collections.abc import Mapping, Sequence
from itertools import groupby
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.ensemble import RandomForestClassifier
from sklearn.model_selection import LeaveOneGroupOut

TREES = 600
ABSENT = -1e3  # what a metric reads that a run does not log: trees part it from all else
LARGEST = 1e12
PARTS = 5  # of a run: its first, its middle and its last one are told


def scores(rows: Path, cases: Sequence[Mapping[str, Any]]) -> dict[str, float]:
    """For each run the share of the trees that call it sick, of those that were grown without its task."""
    told = [_features(rows / case["name"]) | {f"is {case['algorithm']}": 1.0} for case in cases]
    names = sorted({name for each in told for name in each})
    table = np.array([[each.get(name, ABSENT) for name in names] for each in told]).clip(-LARGEST, LARGEST)
    is_sick = np.array([case["is_sick"] for case in cases])
    found = np.zeros(len(cases))
    for known, unseen in LeaveOneGroupOut().split(table, is_sick, [case["task"] for case in cases]):
        forest = RandomForestClassifier(TREES, min_samples_leaf=2, max_features=0.1, random_state=0, n_jobs=-1)
        found[unseen] = forest.fit(table[known], is_sick[known]).predict_proba(table[unseen])[:, 1]
    return {case["name"]: round(float(score), 4) for case, score in zip(cases, found, strict=True)}


def _features(folder: Path) -> dict[str, float]:
    """What is told of a run: of each logged number its course, its range, its noise and its broken points."""
    events = map(json.loads, (folder / "events.jsonl").read_text("utf-8").splitlines())
    points = sorted((name, event["step"], value) for event in events for name, value in event["metrics"].items())
    found: dict[str, float] = {"steps": max((step for _, step, _ in points), default=0)}
    for name, group in groupby(points, key=lambda point: point[0]):
        found |= {f"{name} {what}": value for what, value in _course([float(value) for *_, value in group]).items()}
    return found


def _course(values: Sequence[float]) -> dict[str, float]:
    given = np.array(values)
    finite = given[np.isfinite(given)]
    broken = {"broken": 1 - len(finite) / len(given)}
    if not len(finite):
        return broken
    parts = [float(part.mean()) for part in np.array_split(finite, PARTS) if len(part)]
    first, middle, last = parts[0], parts[len(parts) // 2], parts[-1]
    noise = float(np.std(np.diff(finite))) if len(finite) > 1 else 0.0
    return broken | {
        "first": finite[0],
        "begins": first,
        "middle": middle,
        "ends": last,
        "lowest": finite.min(),
        "highest": finite.max(),
        "usual": float(np.median(finite)),
        "gains": last - first,
        "gains by noise": (last - first) / (noise + 1e-9),
        "times": last / (abs(first) + 1e-9),
        "noise": noise,
    }


if __name__ == "__main__":
    json.dump(scores(Path(sys.argv[1]), json.load(sys.stdin)), sys.stdout)
