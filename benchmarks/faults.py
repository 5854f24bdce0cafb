"""Checks that each fault takes effect: switches it on in a healthy training and reads off the metric that shows it.

python benchmarks/faults.py [FAULT ...] [--algorithm ppo|grpo] [--seed N] [--output docs/reference/faults.md]

Prints, for each case of each fault, the metric's mean over the last five steps before the onset, over the last five of
the run, and over those same steps of the healthy run. Exits with 1 if a fault had no effect.
"""

import argparse
import json
import math
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import groupby
from pathlib import Path
from statistics import fmean
from typing import Any, TypeAlias

from trainer.config.recipes import demo_recipe
from trainer.faults import FAULTS, Case, Fault
from trainer.faults.listing import values_as_text
from trainer.main import FINISHED
from trainer.main import main as train

ONSET = 11
STEPS_COMPARED = 5
SMALL = {
    "per_device_train_batch_size": 64,
    "num_completions_to_log": 0,
    "num_sample_generations": 0,
    "histogram_steps": 0,
    "report_to": "none",
    "save_strategy": "no",
    "eval_strategy": "steps",
    "eval_steps": STEPS_COMPARED,
}
SMALL_OF = {"ppo": {}, "grpo": {"num_generations": 8}}
INTRODUCTION = f"""\
# Faults

Every fault of the library, with what it did to a demo training. `rlvitals train ppo --fault NAME` trains with one from
the start, `--fault_step K` switches it on at step K; from there on its values win over all others. run.json says under
`fault` what was done and when, so that a diagnosis can be compared with the truth; no rule reads it.

The figures are means over {STEPS_COMPARED} steps: the last before the onset at step {ONSET}, the last of the run, and \
the same steps of the
healthy recipe without the fault. One run each, batch {SMALL["per_device_train_batch_size"]}, seed 42, written by

    python benchmarks/faults.py --output docs/reference/faults.md
"""


Events: TypeAlias = Mapping[int, Mapping[str, float]]


@dataclass(frozen=True, slots=True)
class Measured:
    """The measurements of one run of a case; `cpu` in seconds."""

    fault: Fault
    case: Case
    before: float
    after: float
    healthy: float
    took: bool
    cpu: float


class Runs:
    """The trainings of a benchmark, in one process so that torch is imported once; a healthy run serves many cases."""

    def __init__(self, folder: Path, seed: int) -> None:
        self._folder = folder
        self._seed = seed

    def measure(self, fault: Fault, case: Case) -> Measured:
        """Train the case, and its healthy recipe in the fault's setting unless already trained."""
        steps = ONSET - 1 + case.steps
        healthy = self._healthy(case.algorithm, case.task, fault.setting)
        started = time.process_time()
        switched_on = {"fault": fault.name, "fault_step": ONSET}
        sick = self._train(case.algorithm, case.task, steps, f"{fault.name}-{case.algorithm}-{case.task}", switched_on)
        cpu = time.process_time() - started
        before = _mean_until(sick, case.sign.metric, ONSET - 1)
        after, control = (_mean_until(events, case.sign.metric, steps) for events in (sick, healthy))
        return Measured(fault, case, before, after, control, case.sign.is_present(after, control), cpu)

    def _healthy(self, algorithm: str, task: str, setting: Mapping[str, Any]) -> Events:
        folder = self._folder / "-".join(
            ["healthy", algorithm, task, *(Path(str(value)).name for value in setting.values())]
        )
        steps = max(
            case.steps
            for fault in FAULTS.values()
            for case in fault.cases
            if (case.algorithm, case.task) == (algorithm, task)
        )
        if folder.exists():
            return _events(folder)
        return self._train(algorithm, task, ONSET - 1 + steps, folder.name, setting)

    def _train(self, algorithm: str, task: str, steps: int, name: str, own: Mapping[str, Any]) -> Events:
        recipe = demo_recipe(algorithm, task)
        assert recipe is not None  # each algorithm has a recipe for each demo task
        values = {**SMALL, **SMALL_OF[algorithm], **own, "max_steps": steps, "seed": self._seed}
        words = [word for option, value in values.items() for word in (f"--{option}", str(value))]
        folder = self._folder / name
        if train(["train", algorithm, "--recipe", recipe.name, *words, "--run_dir", str(folder)]) != FINISHED:
            raise SystemExit(f"the training {name} failed; what it said stands above")
        return _events(folder)


def main() -> int:
    """Measure the chosen cases, print one line each, and write the requested page."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("faults", nargs="*", choices=[*FAULTS, []], metavar="FAULT")
    parser.add_argument("--algorithm", choices=["ppo", "grpo"])
    parser.add_argument("--seed", type=int, default=42)
    parser.add_argument("--output", type=Path, help="write the page of all faults here, with these figures")
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        runs, measured = Runs(Path(folder), chosen.seed), []
        for fault, case in _cases(chosen.faults or list(FAULTS), chosen.algorithm):
            measured.append(runs.measure(fault, case))
            sys.stdout.write(_line(measured[-1]) + "\n")
            sys.stdout.flush()
    if chosen.output:
        chosen.output.write_text(page(measured), encoding="utf-8")
    failed = [each for each in measured if not each.took]
    sys.stdout.write(f"{len(measured)} cases, {len(failed)} did not take\n")
    return int(bool(failed))


def page(measured: Sequence[Measured]) -> str:
    """The Markdown page: one section per fault, one table row per case."""
    sections = [_section(fault, list(cases)) for fault, cases in groupby(measured, key=lambda each: each.fault)]
    return "\n".join([INTRODUCTION, *sections])


def _cases(names: Sequence[str], algorithm: str | None) -> Iterator[tuple[Fault, Case]]:
    for name in names:
        for case in FAULTS[name].cases:
            if algorithm in (None, case.algorithm):
                yield FAULTS[name], case


def _section(fault: Fault, cases: Sequence[Measured]) -> str:
    rules = ", ".join(f"`{rule}`" for rule in fault.rules)
    return "\n".join(
        [
            f"## {fault.name}\n",
            f"{fault.does}\n",
            f"True cause: `{fault.cause}`. Rules that are right to fire: {rules}.\n",
            "| on | changes | sign | steps | before | after | healthy | took |",
            "|---|---|---|---|---|---|---|---|",
            *map(_row, cases),
            "",
        ]
    )


def _row(each: Measured) -> str:
    case, sign = each.case, each.case.sign
    cells = (
        f"{case.algorithm} {case.task}",
        f"`{values_as_text(case)}`",
        f"`{sign.metric}` {sign}",
        str(case.steps),
        *(f"{value:.3g}" for value in (each.before, each.after, each.healthy)),
        _verdict(each),
    )
    return f"| {' | '.join(cells)} |"


def _verdict(each: Measured) -> str:
    return "yes" if each.took else "no"


def _line(each: Measured) -> str:
    return (
        f"{each.fault.name:26} {each.case.algorithm:5}{each.case.task:9} {each.case.sign.metric:34} "
        f"{each.before:9.3g} -> {each.after:9.3g} (healthy {each.healthy:9.3g}), {each.case.sign!s:36} "
        f"{'took' if each.took else 'DID NOT TAKE':12} {each.cpu:6.1f} CPU s"
    )


@cache
def _events(folder: Path) -> Events:
    """Step → metrics of a run directory."""
    lines = (folder / "events.jsonl").read_text("utf-8").splitlines()
    return {event["step"]: event["metrics"] for event in map(json.loads, lines)}


def _mean_until(events: Events, metric: str, last: int) -> float:
    """Mean of the logged values over the compared steps, which end with `last`; NaN if there are none."""
    steps = range(last - STEPS_COMPARED + 1, last + 1)
    values = [events[step][metric] for step in steps if metric in events[step]]
    return fmean(values) if values else math.nan


if __name__ == "__main__":
    sys.exit(main())
