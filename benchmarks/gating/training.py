"""The runs that the gate is tried on: one demo trained with many seeds, as it is and with a mistake in its settings."""

import sys
import time
from collections.abc import Mapping
from pathlib import Path

from benchmarks.detecting.training import train_words
from diagnostics.runlog import STATUS_FILE

RECIPE = "grpo-addition"
STEPS = 50
HEALTHY = "healthy"
ARMS: Mapping[str, tuple[int, tuple[str, ...]]] = {
    HEALTHY: (24, ()),
    "learning rate ÷ 5": (8, ("--learning_rate", "2e-5")),
    "learning rate × 20": (8, ("--learning_rate", "2e-3")),
    "learning rate ÷ 1.5": (8, ("--learning_rate", "6.7e-5")),
}
"""Name → how many seeds, and the setting that differs."""
_SMALL = ("--num_completions_to_log", "1", "--histogram_steps", "1000", "--save_strategy", "no", "--report_to", "none")


def runs_of(cache: Path, arm: str) -> list[Path]:
    """The folders of an arm's runs, a seed each."""
    seeds, _ = ARMS[arm]
    place = list(ARMS).index(arm)
    return [cache / f"arm{place}" / f"seed-{1000 * place + seed}" for seed in range(1, seeds + 1)]


def train_missing(cache: Path) -> None:
    """Train what is not there yet, one run after the other in this process."""
    for arm, (_, words) in ARMS.items():
        for folder in runs_of(cache, arm):
            if not (folder / STATUS_FILE).exists():
                _train(folder, words)


def _train(folder: Path, words: tuple[str, ...]) -> None:
    started = time.process_time()
    folder.parent.mkdir(parents=True, exist_ok=True)
    seed = folder.name.removeprefix("seed-")
    fixed = ("--recipe", RECIPE, "--max_steps", str(STEPS), "--seed", seed)
    train_words(["train", "grpo", *fixed, *_SMALL, *words, "--run_dir", str(folder)])
    sys.stdout.write(f"trained {folder} in {time.process_time() - started:.1f} CPU s\n")
    sys.stdout.flush()
