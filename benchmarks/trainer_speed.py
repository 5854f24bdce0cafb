"""How fast the trainer is beside TRL 1.12: the same model, prompts, batch and completion lengths, in turn.

    python benchmarks/trainer_speed.py --trl-python .venv-trl/bin/python [--quick]

Every training is a process of its own on one thread; a step is the time between two calls of the reward function, the
first two left out. Repetitions are interleaved: TRL, generic, fused, TRL, … The figure is the median of the medians of
the repetitions, the spread their extremes. CPU seconds are those of the whole process; they bear a busy machine better
than wall time does. The last tables, of two processes on two cores, are wall time: run them on an idle machine.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

from speed.clock import CLOCK_VARIABLE
from speed.workloads import WORKLOADS, Workload

FOLDER = Path(__file__).parent / "speed"
WARM_UP_STEPS = 2
TRL, GENERIC, FUSED = "TRL 1.12", "ours, generic", "ours, fused"
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


CASES = (
    Case("addition", "grpo", 30),
    Case("addition-ends", "grpo", 30),
    Case("1M", "grpo", 10),
    Case("30M", "grpo", 3, is_quick=False),
    Case("addition", "ppo", 8, epochs=4, mini_batches=4, is_quick=False),
    Case("1M", "ppo", 4, epochs=4, mini_batches=4),
    Case("30M", "ppo", 2, epochs=2, mini_batches=2, is_quick=False),
)
TWO_CORES = (CASES[0], CASES[2])


@dataclass(frozen=True, slots=True)
class Reading:
    """One training: median CPU and wall seconds per step, and the most memory held (MiB)."""

    cpu: float
    wall: float
    peak: float


@dataclass(frozen=True, slots=True)
class Bench:
    """Where the workloads lie, and the Python that has TRL."""

    folder: Path
    trl_python: str

    def read(self, command: Sequence[str], threads: int | None, log: Path) -> Reading:
        """Run one training and read its clock."""
        clock = log.with_suffix(".clock")
        environment = {**os.environ, CLOCK_VARIABLE: str(clock)}
        if threads:
            environment["OMP_NUM_THREADS"] = str(threads)
        with log.open("w") as output:
            done = subprocess.run(command, env=environment, stdout=output, stderr=subprocess.STDOUT, check=False)
        if done.returncode:
            sys.exit(f"{' '.join(command[:4])} … ended with {done.returncode}:\n{log.read_text()[-2000:]}")
        notes = [json.loads(line) for line in clock.read_text().splitlines()]
        notes = [note for note in notes if note["pid"] == notes[0]["pid"]]
        steps = list(pairwise(notes))[WARM_UP_STEPS:]
        return Reading(
            statistics.median(after["cpu"] - before["cpu"] for before, after in steps),
            statistics.median(after["wall"] - before["wall"] for before, after in steps),
            notes[-1]["peak"],
        )

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
        return self.read([self.trl_python, str(FOLDER / "trl_side.py"), json.dumps(values)], threads, log)

    def ours(self, case: Case, log: Path, decode: str, processes: int = 1) -> Reading:
        """This package's trainer, through its own command line."""
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
        return self.read([sys.executable, "-P", "-m", "trainer.main", "train", case.algorithm, *words], 1, log)


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


def compare(bench: Bench, case: Case, repetitions: int) -> None:
    """Print one case: CPU seconds per step, completions per CPU second, the ratio to TRL, and memory."""
    sides: dict[str, Callable[[Path], Reading]] = {
        TRL: lambda log: bench.trl(case, log),
        GENERIC: lambda log: bench.ours(case, log, "generic"),
        FUSED: lambda log: bench.ours(case, log, "auto"),
    }
    readings = _interleaved(bench, sides, repetitions)
    base = statistics.median(reading.cpu for reading in readings[TRL])
    _write(f"\n{case.algorithm.upper()}, {case.size.title}, {case.epochs} epochs x {case.mini_batches} mini-batches\n")
    for name, found in readings.items():
        cpus, peak = [reading.cpu for reading in found], max(reading.peak for reading in found)
        cpu = statistics.median(cpus)
        _write(
            f"  {name:14} {cpu:7.3f} CPU s/step ({min(cpus):.3f} to {max(cpus):.3f}) "
            f"{case.size.batch / cpu:7.1f} completions/CPU s {base / cpu:6.2f}x {peak:6.0f} MiB\n"
        )


def compare_on_two_cores(bench: Bench, case: Case, repetitions: int) -> None:
    """Print wall seconds per step of TRL as it starts by default and of two processes with a thread each."""
    threads = os.cpu_count()
    sides: dict[str, Callable[[Path], Reading]] = {
        f"TRL 1.12, one process, {threads} threads": lambda log: bench.trl(case, log, None),
        "ours, two processes, 1 thread each": lambda log: bench.ours(case, log, "auto", processes=2),
    }
    readings = _interleaved(bench, sides, repetitions)
    walls = {name: statistics.median(reading.wall for reading in found) for name, found in readings.items()}
    base = next(iter(walls.values()))
    _write(f"\n{case.algorithm.upper()}, {case.size.title}: wall time\n")
    for name, wall in walls.items():
        _write(f"  {name:36} {wall:7.3f} s/step {case.size.batch / wall:7.1f} completions/s {base / wall:6.2f}x\n")


def _interleaved(
    bench: Bench, sides: dict[str, Callable[[Path], Reading]], repetitions: int
) -> dict[str, list[Reading]]:
    readings: dict[str, list[Reading]] = {name: [] for name in sides}
    with tempfile.TemporaryDirectory(dir=bench.folder) as logs:
        for repetition in range(repetitions):
            for number, (name, run) in enumerate(sides.items()):
                readings[name].append(run(Path(logs) / f"{repetition}-{number}.log"))
    return readings


def _write(text: str) -> None:
    sys.stdout.write(text)
    sys.stdout.flush()


def main() -> None:
    """Write the workloads, then print case after case."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--trl-python", default=".venv-trl/bin/python", help="a Python that has TRL 1.12")
    parser.add_argument("--quick", action="store_true", help="fewer cases and repetitions: minutes instead of twenty")
    parser.add_argument("--repetitions", type=int, help="how often each side of a case runs")
    parser.add_argument("--only", nargs="+", metavar="CASE", help="cases such as grpo-addition or ppo-1M")
    chosen = parser.parse_args()
    repetitions = chosen.repetitions or (2 if chosen.quick else 3)
    cases = [case for case in CASES if case.is_quick or not chosen.quick]
    if chosen.only:
        cases = [case for case in CASES if f"{case.algorithm}-{case.workload}" in chosen.only]
    with tempfile.TemporaryDirectory() as folder:
        bench = Bench(Path(folder), chosen.trl_python)
        for workload in {case.size for case in (*cases, *TWO_CORES)}:
            (bench.folder / workload.name).mkdir()
            workload.write(bench.folder / workload.name)
        for case in cases:
            compare(bench, case, repetitions)
        for case in () if chosen.only else TWO_CORES:
            compare_on_two_cores(bench, case, repetitions)


if __name__ == "__main__":
    main()
