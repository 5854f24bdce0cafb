"""Trains the corpus with TRL's own Python: each cell once, into the cache."""

import fcntl
import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
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


def train_missing(
    cache: Path, cells: Sequence[Cell], pythons: Mapping[str, str], deadline: float, at_once: int = 1
) -> None:
    """Train missing cells in their order until `deadline` (of `time.monotonic`), those that a Python is known for.

    `pythons` maps a version of TRL to the Python that has it. `at_once` cells are trained at the same time; other
    processes may train for the same cache meanwhile.
    """
    known = [cell for cell in cells if cell.producer in pythons]
    tried = set[str]()

    def work(_: int) -> None:
        while time.monotonic() < deadline:
            left = [cell for cell in known if cell.name not in tried and not is_trained(cache, cell)]
            if not left:
                break
            same = [cell for cell in left if cell.producer == left[0].producer]
            _train(cache, same, pythons[left[0].producer], deadline, tried)

    (cache / "claims").mkdir(parents=True, exist_ok=True)
    with ThreadPoolExecutor(at_once) as pool:
        list(pool.map(work, range(at_once)))


@contextmanager
def _claimed(cache: Path, cell: Cell) -> Iterator[bool]:
    """Whether this cell is ours to train: it is not trained, and nobody else trains it meanwhile."""
    with (cache / "claims" / cell.name).open("w") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            yield False
        else:
            yield not is_trained(cache, cell)


def _train(cache: Path, cells: Sequence[Cell], python: str, deadline: float, tried: set[str]) -> None:
    """Train some of these cells in one process, which gets a plan when it has finished the one before."""
    environment = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join(filter(None, (str(ROOT), os.environ.get("PYTHONPATH")))),
        "PYTHONWARNINGS": "ignore",
        "OMP_NUM_THREADS": "1",
        "HF_HUB_OFFLINE": "1",
        "TRANSFORMERS_NO_ADVISORY_WARNINGS": "1",
    }
    command = [python, "-P", "-m", TRAINERS.get(cells[0].producer, TRAINER), str(cache)]
    with (
        (cache / "training.log").open("a", encoding="utf-8") as log,
        subprocess.Popen(
            command, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=log, text=True
        ) as process,
    ):
        assert process.stdin
        left = PER_PROCESS
        for cell in cells:
            if not left or time.monotonic() >= deadline:
                break
            with _claimed(cache, cell) as is_ours:
                tried.add(cell.name)
                said = _trained(process, cell) if is_ours else ""
            if is_ours and not said:
                if left < PER_PROCESS:
                    tried.discard(cell.name)  # what was trained before it in this process may be why it ended
                else:
                    sys.stdout.write(f"{cell.name} was not trained; {cache / 'training.log'} says why\n")
                break
            left -= is_ours
            sys.stdout.write(said)
            sys.stdout.flush()
        with suppress(BrokenPipeError):
            process.stdin.close()


def _trained(process: "subprocess.Popen[str]", cell: Cell) -> str:
    """What a process says when it has trained a cell; nothing if it ended before."""
    assert process.stdin
    assert process.stdout
    with suppress(BrokenPipeError):
        process.stdin.write(json.dumps(cell.plan()) + "\n")
        process.stdin.flush()
    return process.stdout.readline()
