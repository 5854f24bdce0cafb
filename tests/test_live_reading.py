"""Opens a run while it trains: its TensorBoard and W&B logs grow, and at the end match the run log."""

import os
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from diagnostics.api import LiveRun, UnreadableRun, find_runs, open_run
from diagnostics.model.run import Run

pytestmark = pytest.mark.process

TRAINING = ("train", "grpo", "--max_steps", "8", "--per_device_train_batch_size", "16", "--save_strategy", "no")
SECONDS = 120.0


def looked_at(folder: Path, seen: dict[str, list[int]]) -> dict[str, Run]:
    """Every tracker's log that can be opened by now, by format; the steps seen of each are noted."""
    found: dict[str, Run] = {}
    for ref in find_runs(folder):
        try:
            run = open_run(ref)
        except UnreadableRun:  # none of its records is complete yet
            continue
        found[ref.format] = run
        seen.setdefault(ref.format, []).append(len(run.steps))
    return found


def test_a_training_is_read_while_it_writes_and_every_log_tells_the_same(tmp_path: Path) -> None:
    environment = {**os.environ, "WANDB_MODE": "offline", "HOME": str(tmp_path)}
    words = (*TRAINING, "--report_to", "tensorboard,wandb", "--run_dir", "run")
    run_dir, seen = tmp_path / "run", dict[str, list[int]]()
    command = [sys.executable, "-P", "-m", "trainer.main", *words]
    training = subprocess.Popen(
        command, cwd=tmp_path, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE
    )
    deadline, live = time.monotonic() + SECONDS, list[LiveRun]()
    own: list[int] = []
    while training.poll() is None:
        assert time.monotonic() < deadline, "the training took too long"
        for name in ("tensorboard", "wandb"):
            looked_at(run_dir / name, seen)
        if not live and (run_dir / "run.json").exists():
            live.append(LiveRun(run_dir))
        if live and (grown := live[0].refresh()) is not None:
            own.append(len(grown.steps))
        time.sleep(0.2)
    assert training.returncode == 0, training.stderr.read().decode() if training.stderr else ""

    logged = live[0].refresh() or open_run(run_dir)
    trackers = {**looked_at(run_dir / "tensorboard", seen), **looked_at(run_dir / "wandb", seen)}

    assert own == sorted(own)
    assert set(trackers) == {"tensorboard", "wandb"}
    for form, run in trackers.items():
        assert seen[form] == sorted(seen[form]), f"{form} lost steps while it grew"
        assert run.data_health.malformed == 0
        for name in ("reward", "length_mean", "learning_rate"):
            assert logged.series[name].steps.tolist() == run.series[name].steps.tolist(), (form, name)
            assert logged.series[name].values == pytest.approx(run.series[name].values, rel=1e-6), (form, name)
    assert any(0 < count < 8 for count in own), "nothing was seen before the end"
    assert np.array_equal(logged.steps, np.arange(1, 9))
