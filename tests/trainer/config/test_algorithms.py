"""What an algorithm costs: its loop, its configuration and one row."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

LOOP = """
def train(config, prompts, reward_funcs, journal, changes=None):
    for step in range(1, config.total_steps + 1):
        journal.record(step, {"reward": config.bonus}, [])
"""
CONFIGURATION = """
from dataclasses import dataclass
from typing import ClassVar

from trainer.config.options import Section, options_under
from trainer.config.options.completion_groups import CompletionGroupOptions
from trainer.config.training import TrainConfig

option = options_under(Section.REWARDS)


@dataclass(frozen=True, kw_only=True)
class MadeUpConfig(CompletionGroupOptions, TrainConfig):
    algorithm: ClassVar[str] = "made-up"

    bonus: float = option(1.0, "Added to every reward.", minimum=0)
"""
PROCESS = """
import sys
from made_up_config import MadeUpConfig
from trainer.config import algorithms

row = algorithms.Algorithm(MadeUpConfig, loop="made_up_loop")
algorithms.ALGORITHMS = {**algorithms.ALGORITHMS, row.name: row}

from trainer.main import main

sys.exit(main(sys.argv[1:]))
"""


def run(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    for name, text in {"made_up_loop.py": LOOP, "made_up_config.py": CONFIGURATION, "process.py": PROCESS}.items():
        (folder / name).write_text(text, "utf-8")
    path = os.pathsep.join((str(folder), *sys.path))
    return subprocess.run(
        [sys.executable, "-P", "process.py", *words],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": path},
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )


@pytest.mark.process
def test_a_made_up_algorithm_trains_and_is_resumed_and_relaunched(tmp_path: Path) -> None:
    trained = run(tmp_path, "train", "made-up", "--bonus", "2.5", "--max_steps", "2", "--run_dir", "a")
    assert trained.returncode == 0, trained.stderr
    resumed = run(tmp_path, "train", "--resume", "a", "--max_steps", "3")
    assert resumed.returncode == 0, resumed.stderr
    relaunched = run(tmp_path, "train", "--from", "a", "--bonus", "0", "--run_dir", "b")
    assert relaunched.returncode == 0, relaunched.stderr

    first, second = (json.loads((tmp_path / name / "run.json").read_text("utf-8")) for name in "ab")
    assert (first["algorithm"], first["config"]["bonus"]) == ("made-up", 2.5)
    assert (second["parent"], second["config"]["bonus"]) == (first["run_id"], 0.0)


@pytest.mark.process
def test_a_made_up_algorithm_is_in_the_help(tmp_path: Path) -> None:
    printed = run(tmp_path, "train", "made-up", "--help").stdout
    assert "train ppo|grpo|rloo|made-up [--recipe NAME]" in printed
    assert "--bonus (default: 1.0)\n      Added to every reward." in printed
