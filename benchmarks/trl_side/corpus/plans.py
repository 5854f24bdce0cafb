"""The plans that a training process gets, and the folder that each one's training writes into."""

import json
import os
import shutil
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from benchmarks.trl_side.corpus.models import UNFINISHED

OUTCOME_FILE = "outcome.json"
Outcome = Mapping[str, Any]
TrainPlan = Callable[[Mapping[str, Any], Path], Outcome]
"""(plan, empty folder) → what the training came to: `cpu_seconds`, `error` and the scores."""


def train_plans(cache: Path, train: TrainPlan, is_spent: Callable[[Outcome], bool] = lambda outcome: False) -> None:
    """Train each plan of standard input into its folder of the cache, until a training leaves the process spent.

    Says so on standard output, which has nothing but these answers: what libraries print goes to standard error.
    """
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    for line in sys.stdin:
        plan = json.loads(line)
        folder = cache / "runs" / plan["name"]
        unfinished = folder.with_name(folder.name + UNFINISHED)
        shutil.rmtree(unfinished, ignore_errors=True)
        unfinished.mkdir(parents=True)
        outcome = train(plan, unfinished)
        (unfinished / OUTCOME_FILE).write_text(json.dumps(outcome), "utf-8")
        unfinished.rename(folder)
        answers.write(f"trained {plan['name']} in {outcome['cpu_seconds']:.1f} CPU s\n")
        answers.flush()
        if is_spent(outcome):
            break


@contextmanager
def printed_into(file: Path) -> Iterator[None]:
    """Everything that is printed goes into a file, whichever library does it."""
    sys.stdout.flush()
    sys.stderr.flush()
    kept = [os.dup(1), os.dup(2)]
    with file.open("wb") as console:
        os.dup2(console.fileno(), 1)
        os.dup2(console.fileno(), 2)
        try:
            yield
        finally:
            sys.stdout.flush()
            sys.stderr.flush()
            for stream, old in zip((1, 2), kept, strict=True):
                os.dup2(old, stream)
                os.close(old)
