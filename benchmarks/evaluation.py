"""How fast the rules are, and how often they fire on healthy runs.

python -m benchmarks.evaluation [--points 2000 10000 100000] [--runs 60] [--length 1000]

Prints the CPU time of a full evaluation of all rules on runs of 100 series of each of `--points`, with the slowest
rules; then, for different kinds of noise, the share of `--runs` simulated healthy runs of `--length` points in which a
rule fired (`--runs 0` skips this).
"""

import argparse
import sys
import time
from collections import Counter
from collections.abc import Callable, Sequence

from benchmarks.healthy_curves import Noise, grpo, ppo, widened
from benchmarks.machine import machine, versions
from diagnostics.model.outcome import Verdict
from diagnostics.model.run import Run
from diagnostics.rules import RUN_RULES, SAMPLE_RULES, evaluate

SERIES = 100
SLOWEST = 3
REPEATS = 5  # the fastest counts
HEALTHY: dict[str, Callable[[Noise], Run]] = {"grpo": grpo, "ppo": ppo}
NOISES = (
    *(("normal", phi) for phi in (0.0, 0.5, 0.7, 0.9, 0.95)),
    *(("heavy tails (t3)", phi) for phi in (0.0, 0.5)),
)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--points", type=int, nargs="*", default=[2_000, 10_000, 100_000], help="lengths to time")
    parser.add_argument("--runs", type=int, default=60, help="simulated healthy runs of each algorithm and noise")
    parser.add_argument("--length", type=int, default=1000, help="logged points of each of them")
    options = parser.parse_args()
    print_times(options.points)
    for tails, phi in NOISES if options.runs else ():
        print_alarms(tails, phi, options.runs, options.length)


def print_times(lengths: Sequence[int]) -> None:
    """Print a table of the CPU milliseconds of all rules on runs of these lengths."""
    where = f"{machine()}, {versions(sys.executable, ('numpy',))}"
    print_line(f"CPU time of all {len(RUN_RULES) + len(SAMPLE_RULES)} rules on {SERIES} series; {where}\n")
    print_line("| run | points | all rules, ms | slowest, ms |")
    print_line("|---|---:|---:|---|")
    for algorithm, healthy in HEALTHY.items():
        for points in lengths:
            run = widened(healthy(Noise(0, points, 0.5)), SERIES)
            total = milliseconds(lambda run=run: evaluate(run))
            print_line(f"| {algorithm} | {points:,} | {total:.0f} | {slowest(run)} |")
    print_line("")


def slowest(run: Run) -> str:
    """The slowest rules on a run, with their milliseconds."""
    spent = {
        rule.name: milliseconds(lambda rule=rule: rule.check(run, rule.limits))
        for rule in RUN_RULES
        if rule.applies(run) and not rule.missing(run)
    }
    return ", ".join(f"{name} {spent[name]:.1f}" for name in sorted(spent, key=spent.__getitem__)[: -SLOWEST - 1 : -1])


def print_alarms(tails: str, phi: float, runs: int, points: int) -> None:
    """Print the share of healthy runs in which each rule fired, by severity."""
    counts: Counter[str] = Counter()
    for algorithm, healthy in HEALTHY.items():
        for seed in range(runs):
            noise = Noise(seed, points, phi, is_heavy=tails != "normal")
            fired = [item for item in evaluate(healthy(noise)) if item.verdict is Verdict.FIRED]
            counts.update(f"{item.rule} ({algorithm}, {item.severity})" for item in fired)
    found = ", ".join(f"{name} {count / runs:.3f}" for name, count in sorted(counts.items())) or "none"
    print_line(f"{tails}, autocorrelation {phi}: {found}")


def milliseconds(action: Callable[[], object]) -> float:
    """The CPU time of the fastest of several calls."""
    spent = []
    for _ in range(REPEATS):
        started = time.process_time()
        action()
        spent.append(time.process_time() - started)
    return 1e3 * min(spent)


def print_line(line: str) -> None:
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main()
