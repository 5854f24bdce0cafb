"""Opens a TRL training while it runs; needs TRL (TRL_PYTHON, set by `make parity`)."""

import os
import subprocess
import time
from pathlib import Path

import numpy as np
import pytest

from diagnostics.api import LiveRun, UnreadableRun, open_run
from trainer.tasks import get_task

TRL_PYTHON = os.environ.get("TRL_PYTHON")
SCRIPT = Path(__file__).parents[2] / "benchmarks" / "trl_side" / "live.py"
STEPS = 40
SECONDS = 180.0


@pytest.mark.process
@pytest.mark.skipif(not TRL_PYTHON, reason="needs an environment with TRL: make parity")
def test_a_training_of_trl_is_read_while_it_trains(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    environment = {**os.environ, "HF_HUB_OFFLINE": "1"}
    command = [str(TRL_PYTHON), str(SCRIPT), str(get_task("addition").checkpoint), str(folder), str(STEPS)]
    with (tmp_path / "trl.log").open("w") as log:
        training = subprocess.Popen(command, cwd=tmp_path, env=environment, stdout=log, stderr=subprocess.STDOUT)
    seen, live, deadline = list[int](), list[LiveRun](), time.monotonic() + SECONDS
    while training.poll() is None:
        assert time.monotonic() < deadline, "the training took too long"
        time.sleep(0.1)
        if not live:
            try:
                live.append(LiveRun(folder))
            except UnreadableRun:  # nothing is written yet
                continue
        if (grown := live[0].refresh()) is not None:
            seen.append(len(grown.steps))
    assert training.returncode == 0, (tmp_path / "trl.log").read_text()[-3000:]

    run = live[0].refresh() or open_run(folder)
    first_look = open_run(folder)
    assert seen == sorted(seen)
    assert any(0 < steps < STEPS for steps in seen), "the run was not seen while it grew"
    assert run.producer == "trl"
    assert run.series["reward"].steps.tolist() == list(range(1, STEPS + 1))
    assert run.data_health.malformed == 0
    for name, series in first_look.series.items():
        np.testing.assert_array_equal(run.series[name].values, series.values, err_msg=name)
    assert run.samples.steps == first_look.samples.steps != ()
