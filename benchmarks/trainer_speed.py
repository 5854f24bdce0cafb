"""How fast the trainer is compared with TRL 1.12: the same model, prompts, batch and completion lengths, in turn.

    python -m benchmarks.trainer_speed --trl-python .venv-trl/bin/python [--quick] [--output FILE]

Every training is a separate process with one thread; a step is the time between two calls of the reward function. The
trainings of a case take turns of a few steps: TRL, generic, fused, then in reverse. CPU seconds are those of the whole
process; they are less sensitive to a busy machine than wall time. The last tables, of two processes on two cores, are
wall time: run them on an idle machine.
"""

import argparse
import sys
import tempfile
from collections.abc import Iterator, Sequence
from itertools import chain
from pathlib import Path

from benchmarks.speed.tables import core_table, heading, wall_table
from benchmarks.speed.trainings import CASES, TWO_CORES, Bench, Case, measured
from benchmarks.speed.turns import Training

TRL, GENERIC, FUSED = "TRL 1.12", "ours, generic", "ours, fused"
TURNS, QUICK_TURNS = 8, 2


def on_one_core(bench: Bench, case: Case, logs: Path) -> dict[str, Training]:
    """Both trainers on one thread, ours with both of its decoders."""
    return {
        TRL: bench.trl(case, logs / "trl.log"),
        GENERIC: bench.ours(case, logs / "generic.log", "generic"),
        FUSED: bench.ours(case, logs / "fused.log", "auto"),
    }


def on_two_cores(bench: Bench, case: Case, logs: Path) -> dict[str, Training]:
    """TRL with its default threads, and two processes of ours with one thread each."""
    return {
        TRL: bench.trl(case, logs / "trl.log", None),
        FUSED: bench.ours(case, logs / "fused.log", "auto", processes=2),
    }


def tables(bench: Bench, cases: Sequence[Case], two_cores: Sequence[Case], turns: int) -> Iterator[str]:
    """The tables, line by line as they become available."""
    for workload in dict.fromkeys(case.size for case in (*cases, *two_cores)):
        bench.write(workload)
    for case in cases:
        with tempfile.TemporaryDirectory() as logs:
            yield from core_table(case, measured(on_one_core(bench, case, Path(logs)), case, turns))
    for case in two_cores:
        with tempfile.TemporaryDirectory() as logs:
            trainings = on_two_cores(bench, case, Path(logs))
            yield from wall_table(case, measured(trainings, case, turns), trainings)


def chosen_among(cases: Sequence[Case], names: Sequence[str], is_quick: bool) -> list[Case]:
    """The cases with these names; by default all, or only the quick ones."""
    if names:
        return [case for case in cases if case.name in names]
    return [case for case in cases if case.is_quick or not is_quick]


def arguments() -> argparse.Namespace:
    """Parse the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--trl-python", default=".venv-trl/bin/python", help="a Python that has TRL 1.12")
    parser.add_argument("--quick", action="store_true", help="fewer cases and turns: six minutes, not 25")
    parser.add_argument("--turns", type=int, help=f"of each training; {TURNS}, or {QUICK_TURNS} with --quick")
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
    """Print table after table, and write them to a file if requested."""
    chosen = arguments()
    turns = chosen.turns or (QUICK_TURNS if chosen.quick else TURNS)
    one_core = () if chosen.no_one_core else chosen_among(CASES, chosen.only, chosen.quick)
    two_cores = () if chosen.no_two_cores else chosen_among(TWO_CORES, chosen.only, chosen.quick)
    lines: list[str] = []
    with tempfile.TemporaryDirectory() as folder:
        bench = Bench(Path(folder), chosen.trl_python)
        for line in chain(heading(chosen.trl_python, turns), tables(bench, one_core, two_cores, turns)):
            lines.append(f"{line}\n")
            sys.stdout.write(lines[-1])
            sys.stdout.flush()
    if chosen.output:
        chosen.output.write_text("".join(lines), "utf-8")


if __name__ == "__main__":
    main()
