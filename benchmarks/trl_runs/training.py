"""Trains the corpus with TRL's own Python: one process for each version of TRL, each cell once, into the cache."""

import json
import os
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

from benchmarks.trl_runs.cells import Cell

ROOT = Path(__file__).resolve().parents[2]
OUTCOME_FILE = "outcome.json"
TRAINERS = {"0.7.11": "benchmarks.trl_side.corpus_0_7.train_cells"}
"""What trains with a TRL; all others share one."""
TRAINER = "benchmarks.trl_side.corpus.train_cells"
PER_PROCESS = 12
"""Cells that one process trains: importing TRL takes seconds, and what one training leaves behind should not add up."""


def run_folder(cache: Path, cell: Cell) -> Path:
    """The folder of a cell's trained run."""
    return cache / "runs" / cell.name


def is_trained(cache: Path, cell: Cell) -> bool:
    """Whether the cache contains the cell's complete run."""
    return (run_folder(cache, cell) / OUTCOME_FILE).is_file()


def read_outcome(cache: Path, cell: Cell) -> dict[str, Any]:
    """What TRL's side says of the run: held-out scores before and after, and what broke it."""
    found: dict[str, Any] = json.loads((run_folder(cache, cell) / OUTCOME_FILE).read_text("utf-8"))
    return found


def train_missing(cache: Path, cells: Sequence[Cell], pythons: Mapping[str, str], deadline: float) -> None:
    """Train missing cells in their order until `deadline` (of `time.monotonic`), those that a Python is known for.

    `pythons` maps a version of TRL to the Python that has it.
    """
    missing = [cell for cell in cells if cell.producer in pythons and not is_trained(cache, cell)]
    while missing and time.monotonic() < deadline:
        producer = missing[0].producer
        batch = list(islice((cell for cell in missing if cell.producer == producer), PER_PROCESS))
        _train(cache, batch, pythons[producer], deadline)
        missing = [cell for cell in missing if cell not in batch]


def _train(cache: Path, cells: Sequence[Cell], python: str, deadline: float) -> None:
    """Train cells in one process, which gets a plan when it has finished the one before."""
    environment = {
        **os.environ,
        "PYTHONPATH": str(ROOT),
        "PYTHONWARNINGS": "ignore",
        "OMP_NUM_THREADS": "1",
        "HF_HUB_OFFLINE": "1",
        "TRANSFORMERS_NO_ADVISORY_WARNINGS": "1",
    }
    command = [python, "-P", "-m", TRAINERS.get(cells[0].producer, TRAINER), str(cache)]
    cache.mkdir(parents=True, exist_ok=True)
    with (
        (cache / "training.log").open("a", encoding="utf-8") as log,
        subprocess.Popen(
            command, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=log, text=True
        ) as process,
    ):
        assert process.stdin
        assert process.stdout
        for cell in cells:
            if time.monotonic() >= deadline:
                break
            process.stdin.write(json.dumps(cell.plan()) + "\n")
            process.stdin.flush()
            said = process.stdout.readline()
            sys.stdout.write(said or f"{cell.name} was not trained; {cache / 'training.log'} says why\n")
            sys.stdout.flush()
            if not said:
                break
        process.stdin.close()
