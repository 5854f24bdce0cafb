"""How often `rlvitals gate` fails where nothing changed, and where a mistake was made in the settings.

    python -m benchmarks.gate CACHE [--draws 300] [--output docs/benchmarks/gate.md]

trains what is missing in the cache (a demo with 24 seeds, and with 8 seeds for each of three mistakes), then draws
gates from these runs: baseline and candidates are disjoint, the gate is written from the baseline as `gate --write`
does.
"""

import argparse
import random
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from benchmarks.gating.training import ARMS, HEALTHY, RECIPE, STEPS, runs_of, train_missing
from benchmarks.machine import machine
from diagnostics.api import diagnose, open_run
from diagnostics.gate.gate_file import FALSE_FAIL_RATE
from diagnostics.gate.judging import judge_gate
from diagnostics.gate.proposal import propose
from diagnostics.gate.verdict import GateVerdict, State
from diagnostics.model.diagnosis import Diagnosis

SIZES = ((1, 1), (3, 1), (3, 3), (5, 5), (8, 1), (8, 3), (12, 5))
"""How many runs on either side: baseline, candidates."""
_SEED = 20
_METRIC, _FINDING = "metric", "finding"


@dataclass(frozen=True, slots=True)
class Shares:
    """Of the gates drawn, those that failed by a metric, by a finding, and by anything; and those that were unsure."""

    metric: float
    finding: float
    any: float
    unsure: float


def measure(arms: Mapping[str, Sequence[Diagnosis]], draws: int) -> dict[tuple[str, int, int], Shares]:
    """The shares for each arm and each size."""
    chance = random.Random(_SEED)
    return {
        (arm, base, few): _shares([_draw(chance, arms[HEALTHY], arms[arm], base, few) for _ in range(draws)])
        for arm in arms
        for base, few in SIZES
    }


def _draw(
    chance: random.Random, healthy: Sequence[Diagnosis], arm: Sequence[Diagnosis], base: int, few: int
) -> GateVerdict:
    """One gate: its baseline from the healthy runs, its candidates from the arm, none in both."""
    if arm is healthy:
        chosen = chance.sample(list(healthy), base + few)
        baseline, candidates = chosen[:base], chosen[base:]
    else:
        baseline, candidates = chance.sample(list(healthy), base), chance.sample(list(arm), few)
    gate = replace(propose(baseline), ratios={})  # the time of a step is the machine's, and other work ran beside
    return judge_gate(gate, candidates)


def _shares(verdicts: Sequence[GateVerdict]) -> Shares:
    def share(group: str) -> float:
        return sum(any(check.group == group for check in item.of_state(State.FAILED)) for item in verdicts) / len(
            verdicts
        )

    return Shares(
        share(_METRIC),
        share(_FINDING),
        sum(item.state is State.FAILED for item in verdicts) / len(verdicts),
        sum(item.state is State.UNSURE for item in verdicts) / len(verdicts),
    )


def page(found: Mapping[tuple[str, int, int], Shares], draws: int) -> str:
    """The page of results."""
    seeds, rate = len(runs_of(Path(), HEALTHY)), f"{FALSE_FAIL_RATE:.0%}"
    lines = [
        "# The gate",
        "",
        "How often [`rlvitals gate`](../guide/ci.md) fails where nothing changed but the seed, and where somebody made",
        "a mistake in the settings. Written by `python -m benchmarks.gate CACHE --output docs/benchmarks/gate.md`.",
        "",
        f"The runs are the demo `{RECIPE}` over {STEPS} steps: {seeds} seeds as it is, and 8 seeds with each mistake.",
        f"Each row draws {draws} gates from them: some healthy runs are the baseline, from which the gate is written",
        "as `gate --write` does, others the candidates. The gate asks its metrics to fail where nothing changed",
        f"in at most {rate} of cases; findings come on top. The draws of a row share the same runs, so a share is less",
        "certain than the number of draws suggests. Ratios of time are left out, as other work ran beside.",
    ]
    for arm in ARMS:
        title = "Nothing changed: false fails" if arm == HEALTHY else f"{arm.capitalize()}: gates that fail"
        lines += [
            "",
            f"## {title}",
            "",
            "| baseline runs | candidate runs | by a metric | by a finding | in all | unsure |",
        ]
        lines += ["| --- | --- | --- | --- | --- | --- |"]
        for base, few in SIZES:
            of = found[arm, base, few]
            cells = (of.metric, of.finding, of.any, of.unsure)
            lines.append(f"| {base} | {few} | " + " | ".join(f"{100 * value:.1f} %" for value in cells) + " |")
    lines += [
        "",
        "One run on each side is never conclusive by its metrics: such a gate is unsure, and fails with `--strict`.",
        "",
        f"Judged on {machine()}.",
        "",
    ]
    return "\n".join(lines)


def main() -> None:
    """Train what is missing, draw, and write the page."""
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("cache", type=Path)
    arguments.add_argument("--draws", type=int, default=300)
    arguments.add_argument("--output", type=Path)
    given = arguments.parse_args()
    train_missing(given.cache)
    arms = {arm: [diagnose(open_run(path)) for path in runs_of(given.cache, arm)] for arm in ARMS}
    text = page(measure(arms, given.draws), given.draws)
    if given.output:
        given.output.write_text(text, "utf-8")
    else:
        sys.stdout.write(text)


if __name__ == "__main__":
    main()
