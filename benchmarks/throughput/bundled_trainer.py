"""Trains with the bundled trainer, slow in a known place, and prints what the time budget names and predicts.

python -m benchmarks.throughput.bundled_trainer [--output docs/benchmarks/throughput-trainer.md]

Each training is compared with the same one without what makes it slow. It takes two minutes, a C compiler and Linux.
"""

import argparse
import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from benchmarks.machine import machine
from benchmarks.throughput.slow_disk import BANDWIDTH, LATENCY, slow_disk
from diagnostics.api import open_run
from diagnostics.time_budget.bottleneck import bottleneck
from diagnostics.time_budget.budget import TimeBudget, time_budget
from diagnostics.time_budget.stages import GENERATE, SCORE
from diagnostics.time_budget.tail import tail
from diagnostics.wording.time_budget import budget_sentence

ON_SLOW_DISK = "slow-disk"
STEPS = 8
GRADER_SECONDS = 1.5
GRADER = f"""
import time

def patient(prompts, completions, **kwargs):
    time.sleep({GRADER_SECONDS})
    return [float(len(completion) % 2) for completion in completions]

def quick(prompts, completions, **kwargs):
    return [float(len(completion) % 2) for completion in completions]
"""
LONG, USUAL = 55, 16
"""Limits of tokens: with answers of the long tail, and what nearly all others keep to."""
COMMON = {
    "task": "addition",
    "max_steps": str(STEPS),
    "per_device_train_batch_size": "64",
    "num_generations": "8",
    "num_completions_to_log": "64",
    "num_sample_generations": "0",
    "histogram_steps": "0",
    "report_to": "none",
    "save_strategy": "no",
    "num_threads": "1",
}
TAIL = {"task": "remarks", "decode": "generic", "beta": "0", "per_device_train_batch_size": "24"}
SAVING = {"save_strategy": "steps", "save_steps": "4"}
SCRIPT = """
import json, sys
from trainer.main import main
for words in json.loads(sys.argv[1]):
    if code := main(words):
        sys.exit(f"{words} ended with {code}")
"""


@dataclass(frozen=True, slots=True)
class Slow:
    """A training that is slow in a known place: the stage that is slow, and how to train it.

    `without` are the options of the same training without what makes it slow. `is_on_slow_disk`: it writes to one, and
    the other as well if `stays_on_slow_disk`.
    """

    what: str
    stage: str
    options: Mapping[str, str]
    without: Mapping[str, str]
    is_on_slow_disk: bool = False
    stays_on_slow_disk: bool = False


CASES = (
    Slow("a grader", SCORE, {"reward_funcs": "slow.py:patient"}, {"reward_funcs": "slow.py:quick"}),
    Slow(
        "a long tail",
        GENERATE,
        {**TAIL, "max_completion_length": str(LONG)},
        {**TAIL, "max_completion_length": str(USUAL)},
    ),
    Slow("the disk of the log", "log", {}, {}, is_on_slow_disk=True),
    Slow("the disk of checkpoints", "checkpoint", SAVING, {}, is_on_slow_disk=True, stays_on_slow_disk=True),
)


@dataclass(frozen=True, slots=True)
class Judged:
    """What the time budget says of a slow training, and the mean step without what made it slow, of the present one."""

    case: Slow
    seconds: float
    named: str | None
    rivals: tuple[str, ...]
    predicted: float
    is_bound: bool
    measured: float
    sentence: str

    @property
    def is_right(self) -> bool:
        """Whether the stage is named, alone or as one that holds the training up nearly as much."""
        return self.case.stage in (self.named, *self.rivals)


def judged_cases(folder: Path, cases: Sequence[Slow] = CASES) -> list[Judged]:
    """Train all cases, with and without, in one process, and judge them."""
    (folder / "slow.py").write_text(GRADER, "utf-8")
    slow_folder = folder / ON_SLOW_DISK
    pairs = [
        (
            (slow_folder if case.is_on_slow_disk else folder) / f"slow-{number}",
            (slow_folder if case.stays_on_slow_disk else folder) / f"without-{number}",
        )
        for number, case in enumerate(cases)
    ]
    words = [
        _words(directory, options)
        for case, (slow, quick) in zip(cases, pairs, strict=True)
        for directory, options in ((slow, case.options), (quick, case.without))
    ]
    warm_up = _words(folder / "warm-up", {"max_steps": "1"})
    slow_folder.mkdir()
    command = [sys.executable, "-P", "-c", SCRIPT, json.dumps([warm_up, *words])]
    environment = slow_disk(slow_folder, folder / "slow_disk.so")
    done = subprocess.run(command, cwd=folder, env=environment, stderr=subprocess.PIPE, text=True, check=False)
    if done.returncode:
        raise SystemExit(done.stderr)
    return [_judged(case, slow, quick) for case, (slow, quick) in zip(cases, pairs, strict=True)]


def _words(directory: Path, options: Mapping[str, str]) -> list[str]:
    values = {**COMMON, **options, "run_dir": str(directory)}
    return ["train", "grpo", *(f"--{name}={value}" for name, value in values.items())]


def _judged(case: Slow, slow: Path, quick: Path) -> Judged:
    run = open_run(slow)
    budget, without = _budget(slow), _budget(quick)
    found, longest = bottleneck(budget), tail(run, budget) if case.stage == GENERATE else None
    removed = 1.0 if found is None else found.without
    return Judged(
        case,
        seconds=budget.mean_step,
        named=None if found is None else found.stage,
        rivals=() if found is None else found.rivals,
        predicted=removed if longest is None else 1 - longest.share,
        is_bound=longest is not None,
        measured=without.mean_step / budget.mean_step,
        sentence=budget_sentence(run, budget),
    )


def _budget(directory: Path) -> TimeBudget:
    budget = time_budget(open_run(directory))
    assert budget is not None  # the trainer times its steps
    return budget


def page(found: Sequence[Judged]) -> str:
    """The whole page in Markdown."""
    return "\n".join(_lines(found)) + "\n"


def _lines(found: Sequence[Judged]) -> Iterator[str]:
    yield from ("# Throughput of the bundled trainer", "")
    command = "python -m benchmarks.throughput.bundled_trainer"
    yield f"Printed by `{command}` on {datetime.now(UTC):%Y-%m-%d}; {machine()}."
    yield ""
    yield f"GRPO, {STEPS} steps, slow in a known place. The reward function sleeps {GRADER_SECONDS:g} s; remarks may"
    yield f"have {LONG} words where most keep to {USUAL}; the run directory lies on a disk that takes {LATENCY:g} s for"
    yield f"each write and a second for {BANDWIDTH / 1e6:g} MB, so that the log is slow, and a checkpoint every fourth"
    yield "step. Measured is the mean step of the same training without it, as a part of the slow one's; whatever else"
    yield "the machine does falls on one of the two. Of a long tail the time budget gives only a bound. A stage that is"
    yield "told to take nearly as much as the named one is right as well."
    yield ""
    yield "| slow | a step | named | right | without it, predicted | measured | in words |"
    yield "|---|---:|---|---|---:|---:|---|"
    for each in found:
        yield (
            f"| {each.case.what} | {each.seconds:.2f} s | {each.named or 'none'} | {'yes' if each.is_right else 'no'} "
            f"| {'at least ' if each.is_bound else ''}{each.predicted:.2f}× | {each.measured:.2f}× | {each.sentence} |"
        )


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--output", type=Path, help="write the page there instead of printing it")
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        found = judged_cases(Path(folder))
    if chosen.output:
        chosen.output.write_text(page(found), "utf-8")
    else:
        sys.stdout.write(page(found))
    return int(not all(each.is_right for each in found))


if __name__ == "__main__":
    sys.exit(main())
