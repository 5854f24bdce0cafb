"""The trainings of the speed benchmark: one case in TRL or in this package's trainer, as a process, and its clock."""

import json
import os
import re
import statistics
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path

from benchmarks.speed.clock import CLOCK_VARIABLE
from benchmarks.speed.workloads import WORKLOADS, Workload

FOLDER = Path(__file__).parent
WARM_UP_STEPS = 2
BY_NAME = {workload.name: workload for workload in WORKLOADS}


@dataclass(frozen=True, slots=True)
class Case:
    """One line of the benchmark: a workload, an algorithm and how often each batch is learnt from."""

    workload: str
    algorithm: str
    steps: int
    epochs: int = 1
    mini_batches: int = 1
    is_quick: bool = True

    @property
    def size(self) -> Workload:
        return BY_NAME[self.workload]

    @property
    def name(self) -> str:
        return f"{self.algorithm}-{self.workload}"


CASES = (
    Case("addition", "grpo", 30),
    Case("addition-ends", "grpo", 30, is_quick=False),
    Case("1M", "grpo", 10),
    Case("30M", "grpo", 3),
    Case("addition", "ppo", 8, epochs=4, mini_batches=4, is_quick=False),
    Case("1M", "ppo", 4, epochs=4, mini_batches=4),
    Case("30M", "ppo", 2, epochs=2, mini_batches=2, is_quick=False),
)
TWO_CORES = (replace(CASES[0], steps=150), replace(CASES[2], steps=60), replace(CASES[3], steps=10))
"""Wall time is what the machine's other guests disturb: more steps than CPU time needs."""


@dataclass(frozen=True, slots=True)
class Reading:
    """One training: median CPU and wall seconds per step, and the most memory held (MiB) by its first process."""

    cpu: float
    wall: float
    peak: float
    processes: int
    threads: int
    """Of each process."""


@dataclass(frozen=True, slots=True)
class Bench:
    """Where the workloads lie, and the Python that has TRL."""

    folder: Path
    trl_python: str

    def write(self, workload: Workload) -> None:
        """Write a workload's model and prompts."""
        folder = self.folder / workload.name
        folder.mkdir()
        workload.write(folder)

    def trl(self, case: Case, log: Path, threads: int | None = 1) -> Reading:
        """TRL's trainer, with all threads that torch takes where none are given."""
        size = case.size
        values = {
            "algorithm": case.algorithm,
            "folder": str(self.folder / case.workload),
            "output": str(log.with_suffix(".output")),
            "batch": size.batch,
            "group": size.group,
            "new_tokens": size.new_tokens,
            "beta": 0.0,
            "epochs": case.epochs,
            "mini_batches": case.mini_batches,
            "steps": case.steps + WARM_UP_STEPS + 1,
            "threads": threads,
            "seed": 0,
        }
        notes = _notes([self.trl_python, str(FOLDER / "trl_side.py"), json.dumps(values)], threads, log)
        said = re.search(r"^threads (\d+)$", log.read_text(), re.MULTILINE)
        if said is None:
            raise SystemExit(f"TRL's side did not say how many threads it has: {log.read_text()[-2000:]}")
        return _reading(notes, processes=1, threads=int(said[1]))

    def ours(self, case: Case, log: Path, decode: str, processes: int = 1) -> Reading:
        """This package's trainer, through its own command line; a thread for each process."""
        size, folder = case.size, self.folder / case.workload
        options = {
            "model_name_or_path": folder / "model",
            "dataset": folder / "prompts.jsonl",
            "reward_funcs": f"{FOLDER / 'clock.py'}:reward",
            "report_to": "none",
            "save_strategy": "no",
            "lr_scheduler_type": "constant",
            "learning_rate": 1e-5,
            "per_device_train_batch_size": size.batch // processes,
            "max_steps": case.steps + WARM_UP_STEPS + 1,
            "num_threads": 1,
            "num_processes": processes,
            "num_sample_generations": 0,
            "use_cpu": "true",
            "decode": decode,
            "run_dir": log.with_suffix(".run"),
            **_of_algorithm(case),
        }
        words = [word for name, value in options.items() for word in (f"--{name}", str(value))]
        command = [sys.executable, "-P", "-m", "trainer.main", "train", case.algorithm, *words]
        return _reading(_notes(command, 1, log), processes, threads=1)


def _of_algorithm(case: Case) -> dict[str, object]:
    if case.algorithm == "grpo":
        return {
            "num_generations": case.size.group,
            "max_completion_length": case.size.new_tokens,
            "num_iterations": case.epochs,
        }
    return {
        "response_length": case.size.new_tokens,
        "num_ppo_epochs": case.epochs,
        "num_mini_batches": case.mini_batches,
    }


def _notes(command: Sequence[str], threads: int | None, log: Path) -> list[dict[str, float]]:
    """Run one training; the notes of the process that was the first to write one."""
    clock = log.with_suffix(".clock")
    environment = {**os.environ, CLOCK_VARIABLE: str(clock)}
    if threads:
        environment["OMP_NUM_THREADS"] = str(threads)
    else:
        environment.pop("OMP_NUM_THREADS", None)
    with log.open("w") as output:
        done = subprocess.run(command, env=environment, stdout=output, stderr=subprocess.STDOUT, check=False)
    if done.returncode:
        raise SystemExit(f"{' '.join(command[:4])} … ended with {done.returncode}:\n{log.read_text()[-2000:]}")
    notes = [json.loads(line) for line in clock.read_text().splitlines()]
    return [note for note in notes if note["pid"] == notes[0]["pid"]]


def _reading(notes: Sequence[dict[str, float]], processes: int, threads: int) -> Reading:
    steps = list(pairwise(notes))[WARM_UP_STEPS:]
    return Reading(
        cpu=statistics.median(after["cpu"] - before["cpu"] for before, after in steps),
        wall=statistics.median(after["wall"] - before["wall"] for before, after in steps),
        peak=notes[-1]["peak"],
        processes=processes,
        threads=threads,
    )
