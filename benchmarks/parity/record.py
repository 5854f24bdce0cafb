"""Our side of the parity benchmark: trains every case and records its rollouts and updates.

python -P -m benchmarks.parity.record FOLDER

FOLDER gets one folder per case, numbered in their order, with run/ (the run directory), rollouts.npz and ours.npz.
"""

import sys
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np
from torch import Tensor

from benchmarks.parity.cases import CASES, Case
from benchmarks.parity.updates import UpdateTape
from diagnostics.runlog import SAMPLES_FILE
from trainer import grpo, main, ppo, rloo
from trainer.algorithms.experience import GRPOExperience, PPOExperience, RLOOExperience


class RolloutTape:
    """The token ids of each step's rollout and, for PPO, the order in which the updates took its rows."""

    def __init__(self) -> None:
        self.arrays: dict[str, np.ndarray] = {}
        self._orders: dict[int, list[Tensor]] = defaultdict(list)
        self._steps = 0

    def rollout(self, experience: GRPOExperience | RLOOExperience | PPOExperience) -> None:
        """Record one step's rollout."""
        self._steps += 1
        tokens = experience.tokens
        for name in ("prompt_ids_BQ", "prompt_mask_BQ", "ids_BT", "mask_BT"):
            self.arrays[f"{self._steps}/{name}"] = getattr(tokens, name).numpy().copy()

    def record_pass(self, rows_M: Tensor) -> None:
        """Record the rows that the next pass takes."""
        self._orders[self._steps].append(rows_M)

    def save(self, path: Path) -> None:
        """Write the recording as an npz file."""
        orders = {
            f"{step}/order": np.concatenate([rows_M.numpy() for rows_M in all_rows])
            for step, all_rows in self._orders.items()
        }
        np.savez(path, **self.arrays, **orders)


TAPES: list[RolloutTape] = []
"""The active tape is the last one."""


@dataclass(frozen=True, slots=True)
class RecordedGRPOExperience(GRPOExperience):
    """An experience that reports to the tape its creation and the rows taken from it."""

    def __post_init__(self) -> None:
        TAPES[-1].rollout(self)

    def rows(self, index_M: Tensor) -> GRPOExperience:
        TAPES[-1].record_pass(index_M)
        return GRPOExperience.rows(self, index_M)


@dataclass(frozen=True, slots=True)
class RecordedRLOOExperience(RLOOExperience):
    """An experience that reports to the tape its creation and the rows taken from it."""

    def __post_init__(self) -> None:
        TAPES[-1].rollout(self)

    def rows(self, index_M: Tensor) -> RLOOExperience:
        TAPES[-1].record_pass(index_M)
        return RLOOExperience.rows(self, index_M)


@dataclass(frozen=True, slots=True)
class RecordedPPOExperience(PPOExperience):
    """An experience that reports to the tape its creation and the rows taken from it."""

    def __post_init__(self) -> None:
        TAPES[-1].rollout(self)

    def rows(self, index_M: Tensor) -> PPOExperience:
        TAPES[-1].record_pass(index_M)
        return PPOExperience.rows(self, index_M)


def record(case: Case, folder: Path) -> None:
    """Train one case; its run directory is folder/run."""
    TAPES.append(RolloutTape())
    updates = UpdateTape()
    words = ["train", case.algorithm, "--run_dir", str(folder / "run"), *_words(case.values)]
    with updates.recording():
        code = main.main(words)
    if code:
        raise SystemExit(f"the case {case.name!r} failed; see {folder / 'run' / 'console.log'}")
    updates.save(folder / "ours.npz")
    TAPES[-1].save(folder / "rollouts.npz")
    if not (folder / "run" / SAMPLES_FILE).is_file():
        raise SystemExit(f"the case {case.name!r} wrote no samples; the replay needs their rewards")


def _words(values: Mapping[str, Any]) -> list[str]:
    always = {
        "report_to": "none",
        "save_strategy": "no",
        "use_cpu": True,
        "num_completions_to_log": 10_000,
        "num_sample_generations": 0,
    }
    return [f"--{name}={_text(value)}" for name, value in {**values, **always}.items()]


def _text(value: Any) -> str:
    if isinstance(value, tuple):
        return ",".join(map(str, value))
    return str(value).lower() if isinstance(value, bool) else str(value)


def run(folder: Path) -> None:
    """Record every case."""
    with (
        patch.object(grpo, "GRPOExperience", RecordedGRPOExperience),
        patch.object(rloo, "RLOOExperience", RecordedRLOOExperience),
        patch.object(ppo, "PPOExperience", RecordedPPOExperience),
    ):
        for number, case in enumerate(CASES, start=1):
            record(case, folder / f"{number:02}")


if __name__ == "__main__":
    run(Path(sys.argv[1]))
