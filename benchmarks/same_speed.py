"""Times this tree against an earlier commit: `python -m benchmarks.same_speed --before REV [--turns 7]`.

Both take turns on the same logs and trainings, each time in a separate process; each one's best turn counts. Reading is
timed in CPU seconds without imports, training as the median of `step_time`, in seconds. Run it on an otherwise idle
machine. Exits with 1 if this tree is slower by more than `--allowed` (3 %).
"""

import argparse
import json
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from statistics import median

from benchmarks.event_files import LAYOUTS, regular, write
from benchmarks.machine import machine
from benchmarks.reading import wandb_file
from benchmarks.two_commits import Tree, before_and_after

STEPS, LONG_STEPS, ROWS, RUNS = 10_000, 100_000, 10_000, 300
TRAININGS: Mapping[str, tuple[str, ...]] = {"GRPO on the addition demo": ("grpo",), "PPO on the remarks demo": ("ppo",)}
TRAINING_STEPS, FIRST_STEPS = 24, 4  # the first steps warm up allocators and threads

Timing = Callable[[Tree], float]


def main() -> int:
    """Print a row per workload; returns 1 if one is slower than allowed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--before", required=True, metavar="REV", help="the commit to compare with")
    parser.add_argument("--turns", type=int, default=7, help="how often each side is timed (7)")
    parser.add_argument("--allowed", type=float, default=0.03, help="how much slower it may be (0.03)")
    options = parser.parse_args()
    slower: list[str] = []
    _print(
        f"Reading and training before and after, {datetime.now(UTC):%Y-%m-%d}; {machine()}; {options.turns} turns.\n"
    )
    _print("| what | before | after | after ÷ before |\n|---|---:|---:|---:|")
    with tempfile.TemporaryDirectory() as folder, before_and_after(options.before, Path(folder)) as trees:
        for name, timing in _timings(Path(folder)):
            before, after = _best_in_turn(timing, trees, options.turns)
            _print(f"| {name} | {before:.4f} s | {after:.4f} s | {after / before:.3f} |")
            if after > before * (1 + options.allowed):
                slower.append(name)
    _print("\nNothing is slower." if not slower else f"\nSlower than allowed: {', '.join(slower)}.")
    return 1 if slower else 0


def _timings(scratch: Path) -> Iterator[tuple[str, Timing]]:
    logs = scratch / "logs"
    for name, layout in LAYOUTS.items():
        write(logs / name, layout(STEPS))
        yield f"event file, {name}", partial(_read, "read", logs / name)
    write(logs / "long", regular(LONG_STEPS))
    yield f"event file, {LONG_STEPS:,} steps, to a Run", partial(_read, "open", logs / "long")
    yield "one more step of 40 tags, to a Run", partial(_read, "grow_run", logs / "long")
    wandb_file.write(logs / "wandb", ROWS)
    yield f"W&B offline, {ROWS:,} rows", partial(_read, "read", logs / "wandb")
    for number in range(RUNS):
        write(logs / "list" / str(number), regular(2))
    yield f"listing {RUNS} runs", partial(_read, "list", logs / "list")
    for name, words in TRAININGS.items():
        yield name, partial(_train, words, scratch / "runs")


def _best_in_turn(timing: Timing, trees: tuple[Tree, Tree], turns: int) -> tuple[float, float]:
    """The best time of each tree; they alternate, each going first half of the time."""
    found: dict[str, list[float]] = {tree.name: [] for tree in trees}
    for turn in range(turns):
        for tree in trees if turn % 2 else reversed(trees):
            found[tree.name].append(timing(tree))
    return min(found["before"]), min(found["after"])


def _read(what: str, folder: Path, tree: Tree) -> float:
    """CPU seconds of one reading, without a cache."""
    command = [sys.executable, "-m", "benchmarks.reading.ours", what, str(folder)]
    environment = {**tree.environment, "XDG_CACHE_HOME": "/dev/null"}
    done = subprocess.run(command, cwd=tree.path, env=environment, capture_output=True, text=True, check=True)
    return float(json.loads(done.stdout)["cpu"])


def _train(words: Sequence[str], runs: Path, tree: Tree) -> float:
    """The median step time of one training, in seconds."""
    run = runs / f"{words[0]}-{len(list(runs.glob('*')))}"
    command = [sys.executable, "-P", "-m", "trainer.main", "train", *words, "--max_steps", str(TRAINING_STEPS)]
    command += ["--save_strategy", "no", "--report_to", "none", "--run_dir", str(run)]
    subprocess.run(command, cwd=tree.path, env=tree.environment, capture_output=True, check=True)
    rows = [json.loads(line) for line in (run / "events.jsonl").read_text("utf-8").splitlines()]
    return median(row["metrics"]["step_time"] for row in rows if row["step"] > FIRST_STEPS)


def _print(line: str) -> None:
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
