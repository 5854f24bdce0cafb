"""The trainings of the speed benchmark: one case in TRL or in this package's trainer, and the cost of its steps."""

import json
import re
import statistics
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from benchmarks.speed.turns import Note, Training, in_turns
from benchmarks.speed.workloads import WORKLOADS, Workload

FOLDER = Path(__file__).parent
ENDLESS = 10**6
"""Steps: more than any training gets."""
BY_NAME = {workload.name: workload for workload in WORKLOADS}


@dataclass(frozen=True, slots=True)
class Case:
    """One line of the benchmark: a workload, an algorithm and the number of passes over each batch."""

    workload: str
    algorithm: str
    steps: int
    """Of a turn, at least."""
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
    Case("addition", "grpo", 12),
    Case("addition-ends", "grpo", 12, is_quick=False),
    Case("1M", "grpo", 4),
    Case("1M-mixed", "grpo", 4, is_quick=False),
    Case("30M", "grpo", 1),
    Case("addition", "ppo", 2, epochs=4, mini_batches=4, is_quick=False),
    Case("1M", "ppo", 1, epochs=4, mini_batches=4),
    Case("1M-mixed", "ppo", 1, epochs=4, mini_batches=4, is_quick=False),
    Case("30M", "ppo", 1, epochs=2, mini_batches=2, is_quick=False),
)
TWO_CORES = tuple(replace(case, steps=2 * case.steps) for case in CASES if case.is_quick)


@dataclass(frozen=True, slots=True)
class Reading:
    """One turn of a training: median CPU and wall seconds per step, and peak memory so far (MiB)."""

    cpu: float
    wall: float
    peak: float

    @classmethod
    def of(cls, steps: Sequence[tuple[Note, Note]]) -> "Reading":
        """Compute it from the notes before and after each step."""
        return cls(
            cpu=statistics.median(after["cpu"] - before["cpu"] for before, after in steps),
            wall=statistics.median(after["wall"] - before["wall"] for before, after in steps),
            peak=steps[-1][1]["peak"],
        )


def measured(trainings: Mapping[str, Training], case: Case, turns: int) -> dict[str, list[Reading]]:
    """The readings of each training, turn by turn."""
    readings: dict[str, list[Reading]] = {name: [] for name in trainings}
    for steps_of in in_turns(trainings, turns, case.steps):
        for name, steps in steps_of.items():
            readings[name].append(Reading.of(steps))
    return readings


def threads_of(training: Training) -> int:
    """The number of threads each process computes with: as set, or as the process reports."""
    said = re.search(r"^threads (\d+)$", training.log.read_text(), re.MULTILINE)
    if training.threads is None and said is None:
        raise SystemExit(
            f"no word of the number of threads in what TRL's side said: {training.log.read_text()[-2000:]}"
        )
    return training.threads or int(said[1])  # type: ignore[index] # it is there, or the line above has ended this


@dataclass(frozen=True, slots=True)
class Bench:
    """The folder of the workloads, and the Python that has TRL."""

    folder: Path
    trl_python: str

    def write(self, workload: Workload) -> None:
        """Write a workload's model and prompts."""
        folder = self.folder / workload.name
        folder.mkdir()
        workload.write(folder)

    def trl(self, case: Case, log: Path, threads: int | None = 1) -> Training:
        """TRL's trainer; without a number of threads, torch chooses."""
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
            "steps": ENDLESS,
            "threads": threads,
            "seed": 0,
        }
        return Training([self.trl_python, str(FOLDER / "trl_side.py"), json.dumps(values)], log, threads)

    def ours(self, case: Case, log: Path, decode: str, processes: int = 1) -> Training:
        """This package's trainer, through its own command line; one thread per process."""
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
            "max_steps": ENDLESS,
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
        return Training(command, log, threads=1, processes=processes)


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
