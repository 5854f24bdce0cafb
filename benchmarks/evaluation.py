"""How fast the rules are, on a run that is read for the first time and on one that grows, and how often they are wrong.

python -m benchmarks.evaluation [--runs 60] [--points 1000] [--long 100000]

Prints the CPU time of all rules on a run of 100 series of `--long` points, of judging it again after each new step at
a tenth of that length and at all of it, and the slowest rules of each; then, for noise of different kinds, the share of
simulated healthy runs of `--points` points in which a rule fired (`--runs 0`: not that).
"""

import argparse
import statistics
import sys
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from functools import partial

from benchmarks.healthy_curves import Noise, grpo, ppo, widened
from benchmarks.machine import machine, versions
from diagnostics.model.outcome import Verdict
from diagnostics.model.run import Run
from diagnostics.rules import engine
from diagnostics.rules.run import CATALOG

SERIES = 100
SLOWEST = 5
NEW_STEPS = 30
SETTLED = 2  # looks: the first reads everything, the second makes room for what follows
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
    sys.stdout.write(f"CPU time on {machine()}, {versions(sys.executable, ('numpy',))}\n")
    for algorithm, healthy in HEALTHY.items():
        run = widened(healthy(Noise(0, options.long, 0.5)), SERIES)
        print_cold(algorithm, run, options.long)
        for points in (options.long // 10, options.long):
            print_growing(algorithm, run, points)
    for tails, phi in NOISES if options.runs else ():
        print_alarms(tails, phi, options.runs, options.points)


def print_cold(algorithm: str, run: Run, points: int) -> None:
    """The CPU milliseconds of all rules on a long run that they have not seen before."""
    spent = {rule.name: _milliseconds(partial(engine.evaluate, run, [rule])) for rule in CATALOG}
    print_spent(f"{algorithm}, {SERIES} series of {points} points, read for the first time", spent, sum(spent.values()))


def print_growing(algorithm: str, run: Run, points: int) -> None:
    """The CPU milliseconds of judging a run of so many points again after one more: the median, all and by rule."""
    everything, alone = engine.Evaluator(CATALOG), {rule.name: engine.Evaluator([rule]) for rule in CATALOG}
    total: list[float] = []
    spent: dict[str, list[float]] = {name: [] for name in alone}
    for stage in range(points - NEW_STEPS, points + 1):
        grown = _cut(run, stage)
        total.append(_milliseconds(partial(everything.update, grown)))
        for name, evaluator in alone.items():
            spent[name].append(_milliseconds(partial(evaluator.update, grown)))
    usual = {name: statistics.median(times[SETTLED:]) for name, times in spent.items()}
    what = f"{algorithm}, after each new step at {points} points"
    print_spent(what, usual, statistics.median(total[SETTLED:]))


def print_spent(what: str, spent: dict[str, float], total: float) -> None:
    """What all rules take together, and the slowest by themselves."""
    slowest = sorted(spent, key=lambda name: -spent[name])[:SLOWEST]
    named = ", ".join(f"{name} {spent[name]:.1f}" for name in slowest)
    sys.stdout.write(f"{what}: {total:.1f} ms; slowest: {named}\n")


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


def _cut(run: Run, points: int) -> Run:
    """The run as it stood after so many points."""
    series = {
        name: replace(item, steps=item.steps[:points], values=item.values[:points]) for name, item in run.series.items()
    }
    return replace(run, series=series)


def _milliseconds(action: Callable[[], object]) -> float:
    started = time.process_time()
    action()
    return 1e3 * (time.process_time() - started)


if __name__ == "__main__":
    main()
