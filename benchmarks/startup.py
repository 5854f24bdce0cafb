"""Startup cost: importing diagnostics.api, and `rlvitals diagnose` of a sample run of 60 steps.

    python -m benchmarks.startup [--rounds 20]

Every command runs in a separate process. The commands take turns, and each one's round with the least CPU time counts,
since other work on the machine can only add to it. The ratio to importing NumPy carries over to other machines.
"""

import argparse
import os
import resource
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
NUMPY = "import numpy"
COMMANDS: Mapping[str, Sequence[str]] = {
    NUMPY: ("-c", "import numpy"),
    "import diagnostics.api": ("-c", "import diagnostics.api"),
    "rlvitals runs": ("-m", "diagnostics.cli", "runs", "sample_runs/cut-off"),
    "rlvitals diagnose": ("-m", "diagnostics.cli", "diagnose", "sample_runs/cut-off"),
}


@dataclass(frozen=True, slots=True)
class Cost:
    """Seconds of one process, from start to end."""

    cpu: float
    wall: float


def cost_of(words: Sequence[str]) -> Cost:
    """Run Python with these arguments and measure it; its output and exit code are ignored."""
    before, started = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    subprocess.run([sys.executable, *words], cwd=ROOT, env=_environment(), check=False, capture_output=True)
    wall, after = time.perf_counter() - started, resource.getrusage(resource.RUSAGE_CHILDREN)
    return Cost(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, wall)


def _environment() -> dict[str, str]:
    """This process's environment, but with bytecode caching on, as it is for users."""
    return {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}


def measured(rounds: int) -> dict[str, Cost]:
    """The cheapest round of each command, after one that warms the file and bytecode caches."""
    costs = [{name: cost_of(words) for name, words in COMMANDS.items()} for _ in range(rounds + 1)][1:]
    return {name: min((each[name] for each in costs), key=lambda cost: cost.cpu) for name in COMMANDS}


def main() -> None:
    """Print one line for each command."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=20)
    costs = measured(parser.parse_args().rounds)
    numpy = costs[NUMPY].cpu
    for name, cost in costs.items():
        sys.stdout.write(f"{name:24}  CPU {cost.cpu:.2f} s  wall {cost.wall:.2f} s  {cost.cpu / numpy:.1f} × numpy\n")


if __name__ == "__main__":
    main()
