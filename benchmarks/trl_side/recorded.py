"""Reads a recorded case for TRL's side: its options, rollouts and rewards."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor


@dataclass(frozen=True, slots=True)
class Recorded:
    """One recorded case of ours, read from its files."""

    folder: Path
    config: dict[str, Any]
    """Every option of the run, under TRL's names where TRL has it."""
    arrays: dict[str, np.ndarray]

    @property
    def steps(self) -> int:
        """The number of recorded rollouts."""
        return len({key.partition("/")[0] for key in self.arrays})

    def tensor(self, step: int, name: str) -> Tensor:
        """A tensor of a step's rollout; steps count from 1."""
        return torch.from_numpy(self.arrays[f"{step}/{name}"])

    def samples(self, step: int) -> list[dict[str, Any]]:
        """The logged completions of a step, in batch order."""
        lines = (self.folder / "run" / "samples.jsonl").read_text("utf-8").splitlines()
        return [row for row in map(json.loads, lines) if row["step"] == step]


def config_of(folder: Path) -> dict[str, Any]:
    """Every option of the run in a folder, recipes and defaults included."""
    config: dict[str, Any] = json.loads((folder / "run" / "run.json").read_text("utf-8"))["config"]
    return config


def read(folder: Path) -> Recorded:
    """The case in a folder."""
    config = config_of(folder)
    with np.load(folder / "rollouts.npz") as arrays:
        return Recorded(folder, config, dict(arrays))


def cases(folder: Path, algorithm: str) -> list[Recorded]:
    """Every recorded case of an algorithm."""
    runs = sorted(folder.glob("*/run/run.json"))
    chosen = [path for path in runs if json.loads(path.read_text("utf-8"))["algorithm"] == algorithm]
    return [read(path.parent.parent) for path in chosen]
