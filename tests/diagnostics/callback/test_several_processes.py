"""A test of the callback in a training of two processes."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from diagnostics.api import open_run

SCRIPT = Path(__file__).with_name("two_processes.py")


@pytest.mark.slow
def test_all_processes_stop_at_the_same_step_and_the_first_one_writes(tmp_path: Path) -> None:
    launch = [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node", "2"]
    done = subprocess.run(
        [*launch, str(SCRIPT), str(tmp_path)], check=False, capture_output=True, text=True, timeout=180,
        env={**os.environ, "PYTHONPATH": str(SCRIPT.parents[3])},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "rank-0").read_text() == "4 asked to"  # the first logged step after it was asked in step 3
    assert (tmp_path / "rank-1").read_text() == "4 another process of the training wants to"
    run = open_run(tmp_path)
    assert (run.path, run.status.state, run.last_step) == (tmp_path / "rlvitals", "stopped", 4)
    assert (tmp_path / "checkpoint-4").is_dir()
