"""Measures whether the two demos learn: mean reward of the first and last ten steps, wall and CPU seconds, three seeds.

python benchmarks/demo_learning.py [--seeds 0 1 2] [--recipes ppo-remarks grpo-addition]
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

REWARDS = {"ppo": "objective/scores", "grpo": "reward"}
STEPS_COMPARED = 10


@dataclass(frozen=True, slots=True)
class Outcome:
    """One training run: rewards in the reward's own unit; times in seconds for the whole process, imports included."""

    recipe: str
    seed: int
    steps: int
    first: float
    last: float
    wall: float
    cpu: float


def train(recipe: str, seed: int, directory: Path) -> Outcome:
    """Run one recipe in a separate process and read its run directory."""
    before, started = os.times(), time.perf_counter()
    words = ["train", "--recipe", recipe, "--seed", str(seed), "--run_dir", str(directory)]
    subprocess.run([sys.executable, "-P", "-m", "trainer.main", *words], check=True, stderr=subprocess.DEVNULL)
    wall, after = time.perf_counter() - started, os.times()
    cpu = after.children_user + after.children_system - before.children_user - before.children_system
    metric = REWARDS[recipe.partition("-")[0]]
    lines = (directory / "events.jsonl").read_text().splitlines()
    rewards = [json.loads(line)["metrics"][metric] for line in lines]
    first, last = rewards[:STEPS_COMPARED], rewards[-STEPS_COMPARED:]
    return Outcome(recipe, seed, len(rewards), sum(first) / len(first), sum(last) / len(last), wall, cpu)


def main() -> None:
    """Print one line per training run."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", type=int, nargs="+", default=[0, 1, 2])
    parser.add_argument("--recipes", nargs="+", default=["ppo-remarks", "grpo-addition"])
    chosen = parser.parse_args()
    out = sys.stdout
    out.write("recipe          seed  steps  first ten  last ten  wall s  CPU s\n")
    with tempfile.TemporaryDirectory() as folder:
        for recipe in chosen.recipes:
            for seed in chosen.seeds:
                run = train(recipe, seed, Path(folder) / f"{recipe}-{seed}")
                out.write(
                    f"{run.recipe:15} {run.seed:4} {run.steps:6} {run.first:10.3f} {run.last:9.3f} "
                    f"{run.wall:7.1f} {run.cpu:6.1f}\n"
                )
                out.flush()


if __name__ == "__main__":
    main()
