"""Causes that are learned from labelled runs, to compare with those that are ranked by hand: what do findings tell?

PYTHON -m benchmarks.trl_runs.learned_causes < cases.json

PYTHON has benchmarks/peers-requirements.txt, and cases.json lists runs that have a fault: [{"name": …, "task": …,
"algorithm": …, "fired": {rule: severity, …}, "cause": the right one}, …]. Prints {name: cause}, where none of the runs
that it was learned from has the same task.
"""

import json
import sys
from collections.abc import Mapping, Sequence
from typing import Any

from sklearn.feature_extraction import DictVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import LeaveOneGroupOut
from sklearn.pipeline import make_pipeline

MOST_ITERATIONS = 10_000


def causes(cases: Sequence[Mapping[str, Any]]) -> dict[str, str]:
    """For each run the likeliest cause of its findings, as runs of other tasks have them."""
    told, right = [_features(case) for case in cases], [case["cause"] for case in cases]
    found: dict[str, str] = {}
    for known, unseen in LeaveOneGroupOut().split(told, right, [case["task"] for case in cases]):
        model = make_pipeline(DictVectorizer(), LogisticRegression(max_iter=MOST_ITERATIONS))
        model.fit([told[at] for at in known], [right[at] for at in known])
        named = model.predict([told[at] for at in unseen])
        found |= {cases[at]["name"]: str(cause) for at, cause in zip(unseen, named, strict=True)}
    return found


def _features(case: Mapping[str, Any]) -> dict[str, float]:
    """Which rules fired, how gravely, and the algorithm."""
    fired = {what: 1.0 for rule, severity in case["fired"].items() for what in (rule, f"{rule} {severity}")}
    return {**fired, f"is {case['algorithm']}": 1.0}


if __name__ == "__main__":
    json.dump(causes(json.load(sys.stdin)), sys.stdout)
