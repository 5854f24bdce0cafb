"""How fast the rules are, and how often they are wrong about healthy runs.

python -m benchmarks.rules [--runs 60] [--points 1000] [--long 100000]

Prints the CPU time of all rules on a run of 100 series of `--long` points and the slowest rules; then, for noise of
different kinds, the share of simulated healthy runs of `--points` points in which a rule fired.
"""

import argparse
import sys
import time
from collections import Counter
from collections.abc import Callable

from benchmarks.healthy_curves import Noise, grpo, ppo, widened
from diagnostics.diagnosis import Verdict
from diagnostics.rules import engine
from diagnostics.rules.catalog import CATALOG
from diagnostics.run import Run

SERIES = 100
SLOWEST = 5
HEALTHY: dict[str, Callable[[Noise], Run]] = {"grpo": grpo, "ppo": ppo}
NOISES = (
    *(("normal", phi) for phi in (0.0, 0.5, 0.7, 0.9, 0.95)),
    *(("heavy tails (t3)", phi) for phi in (0.0, 0.5)),
)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--runs", type=int, default=60, help="simulated healthy runs of each algorithm and noise")
    parser.add_argument("--points", type=int, default=1000, help="logged points of each of them")
    parser.add_argument("--long", type=int, default=100_000, help="logged points of the run that is timed")
    options = parser.parse_args()
    for algorithm in HEALTHY:
        print_speed(algorithm, options.long)
    for tails, phi in NOISES:
        print_alarms(tails, phi, options.runs, options.points)


def print_speed(algorithm: str, points: int) -> None:
    """The CPU milliseconds of all rules on one long run, and of the slowest of them."""
    run = widened(HEALTHY[algorithm](Noise(0, points, 0.5)), SERIES)
    spent = {rule.name: _milliseconds(lambda rule=rule: engine.evaluate(run, [rule])) for rule in CATALOG}
    slowest = sorted(spent, key=lambda name: -spent[name])[:SLOWEST]
    named = ", ".join(f"{name} {spent[name]:.0f}" for name in slowest)
    total = sum(spent.values())
    sys.stdout.write(f"{algorithm}: {total:.0f} ms for {SERIES} series of {points} points; slowest: {named}\n")


def print_alarms(tails: str, phi: float, runs: int, points: int) -> None:
    """The share of healthy runs in which each rule fired, by severity."""
    counts: Counter[str] = Counter()
    for algorithm, healthy in HEALTHY.items():
        for seed in range(runs):
            noise = Noise(seed, points, phi, is_heavy=tails != "normal")
            fired = [item for item in engine.evaluate(healthy(noise), CATALOG) if item.verdict is Verdict.FIRED]
            counts.update(f"{item.rule} ({algorithm}, {item.severity})" for item in fired)
    found = ", ".join(f"{name} {count / runs:.3f}" for name, count in sorted(counts.items())) or "none"
    sys.stdout.write(f"{tails}, autocorrelation {phi}: {found}\n")
    sys.stdout.flush()


def _milliseconds(action: Callable[[], object]) -> float:
    started = time.process_time()
    action()
    return 1e3 * (time.process_time() - started)


if __name__ == "__main__":
    main()
