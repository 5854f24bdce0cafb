"""How fast the trainer is beside TRL 1.12: the same model, prompts, batch and completion lengths, in turn.

    python -m benchmarks.trainer_speed --trl-python .venv-trl/bin/python [--quick] [--output FILE]

Every training is a process of its own on one thread; a step is the time between two calls of the reward function, the
first two left out. Repetitions are interleaved: TRL, generic, fused, TRL, … The figure is the median of the medians of
the repetitions. CPU seconds are those of the whole process; they bear a busy machine better than wall time does. The
last tables, of two processes on two cores, are wall time: run them on an idle machine.
"""

import argparse
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import chain
from pathlib import Path

from benchmarks.speed.tables import core_table, heading, wall_table
from benchmarks.speed.trainings import CASES, TWO_CORES, Bench, Case, Reading

TRL, GENERIC, FUSED = "TRL 1.12", "ours, generic", "ours, fused"
Run = Callable[[Path], Reading]


def on_one_core(bench: Bench, case: Case) -> dict[str, Run]:
    """Both trainers on one thread, ours with both of its decoders."""
    return {
        TRL: lambda log: bench.trl(case, log),
        GENERIC: lambda log: bench.ours(case, log, "generic"),
        FUSED: lambda log: bench.ours(case, log, "auto"),
    }


def on_two_cores(bench: Bench, case: Case) -> dict[str, Run]:
    """TRL as it starts by default, and two processes of ours with a thread each."""
    return {
        TRL: lambda log: bench.trl(case, log, None),
        FUSED: lambda log: bench.ours(case, log, "auto", processes=2),
    }


def interleaved(sides: Mapping[str, Run], repetitions: int) -> dict[str, list[Reading]]:
    """Every side's readings, taken in turn."""
    readings: dict[str, list[Reading]] = {name: [] for name in sides}
    with tempfile.TemporaryDirectory() as logs:
        for repetition in range(repetitions):
            for number, (name, run) in enumerate(sides.items()):
                readings[name].append(run(Path(logs) / f"{repetition}-{number}.log"))
    return readings


def measured(bench: Bench, cases: Sequence[Case], two_cores: Sequence[Case], repetitions: int) -> Iterator[str]:
    """The tables, line by line as they come to be."""
    for workload in dict.fromkeys(case.size for case in (*cases, *two_cores)):
        bench.write(workload)
    for case in cases:
        yield from core_table(case, interleaved(on_one_core(bench, case), repetitions))
    for case in two_cores:
        yield from wall_table(case, interleaved(on_two_cores(bench, case), repetitions))


def chosen_cases(names: Sequence[str], is_quick: bool) -> list[Case]:
    """The cases of these names, or else all, or else the quick ones."""
    if names:
        return [case for case in CASES if case.name in names]
    return [case for case in CASES if case.is_quick or not is_quick]


def arguments() -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--trl-python", default=".venv-trl/bin/python", help="a Python that has TRL 1.12")
    parser.add_argument("--quick", action="store_true", help="fewer cases and one repetition: six minutes, not twenty")
    parser.add_argument("--repetitions", type=int, help="how often each side of a case runs; 2, or 1 with --quick")
    parser.add_argument("--only", nargs="+", metavar="CASE", default=[], choices=[case.name for case in CASES])
    cores = parser.add_mutually_exclusive_group()
    cores.add_argument("--no-one-core", action="store_true", help="leave the tables of one process out")
    cores.add_argument("--no-two-cores", action="store_true", help="leave the tables of two processes out")
    parser.add_argument("--output", type=Path, help="write the tables to this file too")
    chosen = parser.parse_args()
    if not Path(chosen.trl_python).is_file():
        parser.error(f"{chosen.trl_python} is no Python with TRL; make one with: make .venv-trl/.ready")
    return chosen


def main() -> None:
    """Print table after table, and write them to a file if asked to."""
    chosen = arguments()
    repetitions = chosen.repetitions or (1 if chosen.quick else 2)
    one_core = () if chosen.no_one_core else chosen_cases(chosen.only, chosen.quick)
    two_cores = () if chosen.no_two_cores else TWO_CORES
    lines: list[str] = []
    with tempfile.TemporaryDirectory() as folder:
        bench = Bench(Path(folder), chosen.trl_python)
        tables = measured(bench, one_core, two_cores, repetitions)
        for line in chain(heading(chosen.trl_python, repetitions), tables):
            lines.append(f"{line}\n")
            sys.stdout.write(lines[-1])
            sys.stdout.flush()
    if chosen.output:
        chosen.output.write_text("".join(lines), "utf-8")


if __name__ == "__main__":
    main()
