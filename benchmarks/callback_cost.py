"""What the DiagnosisCallback costs a training of TRL: what each step waits for it, and what its watcher computes.

    python -m benchmarks.callback_cost --trl-python .venv-trl/bin/python [--steps 150] [--output FILE]

Trainings with and without it take turns. The difference of their steps is within the noise of a machine; what the
training waits for in the callback's events is measured inside.
"""

import argparse
import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from statistics import median
from typing import Any

from benchmarks.machine import machine, versions
from trainer.tasks import get_task

TURNS = ("without", "with", "without", "with")
Result = Mapping[str, Any]


def trainings(python: Path, steps: int) -> dict[str, list[Result]]:
    """The results of each turn."""
    found: dict[str, list[Result]] = {"with": [], "without": []}
    with tempfile.TemporaryDirectory() as name:
        for turn, which in enumerate(TURNS):
            folder = Path(name) / str(turn)
            module = [str(python), "-P", "-m", "benchmarks.trl_side.callback_cost"]
            words = [str(get_task("addition").checkpoint), str(folder), str(steps), which]
            environment = {"PYTHONPATH": str(Path(__file__).parents[1]), "OMP_NUM_THREADS": "1", "HF_HUB_OFFLINE": "1",
                           "XDG_DATA_HOME": name, "PATH": "/usr/bin:/bin", "HOME": name}  # fmt: skip
            subprocess.run([*module, *words], env=environment, check=True, capture_output=True)
            found[which].append(json.loads((folder / "cost.json").read_text("utf-8")))
    return found


def page(python: Path, steps: int) -> Iterator[str]:
    """The results as Markdown."""
    found = trainings(python, steps)
    of_with = found["with"]
    step, plain = (median(_all(found[which], "steps")) for which in ("with", "without"))
    waits = [log + end for one in of_with for log, end in _per_step(one)]
    begin, end = (median(one["callback"][event][0] for one in of_with) for event in ("on_train_begin", "on_train_end"))
    yield "# The cost of the callback"
    yield ""
    yield f"Printed by `make speed` on {datetime.now(UTC):%Y-%m-%d}; {machine()}, one thread for the training."
    yield f"{versions(str(python), ('trl', 'transformers', 'torch'))}."
    yield ""
    yield "TRL's GRPO on the addition demo, a tiny model, 16 completions of up to 32 tokens in each step, all logged"
    yield f"with their completions; two trainings of {steps} steps with the callback and two without, by turns."
    yield ""
    yield "| | |"
    yield "|---|---:|"
    yield f"| a step without the callback, median | {plain * 1e3:.1f} ms |"
    yield f"| a step with it, median | {step * 1e3:.1f} ms |"
    yield f"| what a step waits for the callback, median | {median(waits) * 1e3:.2f} ms |"
    yield f"| the same, 99th percentile | {sorted(waits)[int(0.99 * len(waits))] * 1e3:.2f} ms |"
    yield f"| its share of all steps | {sum(waits) / sum(_all(of_with, 'steps')):.2%} |"
    yield f"| once, at the beginning | {begin * 1e3:.0f} ms |"
    yield f"| once, at the end, for the last verdict | {end * 1e3:.0f} ms |"
    seconds = median(one["watcher"] for one in of_with)
    yield f"| CPU time of the watcher, another process at low priority, in {steps} steps | {seconds:.1f} s |"


def _all(results: Sequence[Result], key: str) -> list[float]:
    return [value for result in results for value in result[key]]


def _per_step(result: Result) -> Iterator[tuple[float, float]]:
    told = result["callback"]
    return zip(told["on_log"], told["on_step_end"], strict=False)


def main() -> None:
    """Print the page, and write it to a file if requested."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--trl-python", type=Path, required=True)
    parser.add_argument("--steps", type=int, default=150)
    parser.add_argument("--output", type=Path, help="write the page to this file too")
    chosen = parser.parse_args()
    text = "".join(f"{line}\n" for line in page(chosen.trl_python.absolute(), chosen.steps))
    sys.stdout.write(text)
    if chosen.output:
        chosen.output.write_text(text, "utf-8")


if __name__ == "__main__":
    main()
