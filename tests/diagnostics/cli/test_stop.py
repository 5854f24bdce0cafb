"""Tests of `rlvitals stop` and of what the listings say of a training that does not move."""

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import psutil
import pytest

from diagnostics.runlog import RunLog
from tests.published_schemas import published

COMMAND = Path(sys.executable).with_name("rlvitals")
Rlvitals = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture
def training(tmp_path: Path) -> Iterator["subprocess.Popen[bytes]"]:
    """A real training in the folder a, after its first step."""
    words = ("train", "grpo", "--max_steps", "5000", "--report_to", "none", "--run_dir", "a")
    process = subprocess.Popen([COMMAND, *words], cwd=tmp_path, stderr=subprocess.DEVNULL)
    events = tmp_path / "a" / "events.jsonl"
    deadline = time.monotonic() + 90
    while not (events.exists() and events.stat().st_size) and time.monotonic() < deadline:
        time.sleep(0.2)
    yield process
    process.kill()
    process.wait()


def pid_of(run: Path) -> int:
    return int(json.loads((run / "status.json").read_text())["pid"])


@pytest.mark.process
def test_a_suspended_training_is_said_to_be_so_and_stops_once_it_goes_on(
    training: "subprocess.Popen[bytes]", rlvitals: Rlvitals, tmp_path: Path
) -> None:
    pid = pid_of(tmp_path / "a")
    os.kill(pid, signal.SIGSTOP)
    while psutil.Process(pid).status() != psutil.STATUS_STOPPED:
        time.sleep(0.01)
    sentence = f"suspended: kill -CONT {pid} lets its process go on"
    assert f"running, {sentence}" in rlvitals("runs", "a").stdout
    assert f"running, {sentence}" in " ".join(rlvitals("diagnose", "a").stdout.split())
    (told,) = json.loads(rlvitals("diagnose", "a", "--format", "json").stdout)["runs"]
    assert (told["state"], told["standstill"]) == ("running", sentence)
    assert (
        f"is suspended; let it go on with: kill -CONT {pid}"
        in (published(rlvitals("stop", "a", "--format", "json").stdout, "stop")["message"])
    )
    os.kill(pid, signal.SIGCONT)
    assert training.wait(60) == 0
    (told,) = json.loads(rlvitals("runs", "a", "--format", "json").stdout)["runs"]
    assert (told["state"], told["standstill"]) == ("stopped", None)
    assert not (tmp_path / "a" / "process.json").exists()


@pytest.mark.process
def test_a_copy_of_a_training_and_a_forged_status_are_refused(
    training: "subprocess.Popen[bytes]", rlvitals: Rlvitals, tmp_path: Path
) -> None:
    shutil.copytree(tmp_path / "a", tmp_path / "copy")
    refused = rlvitals("stop", "copy")
    assert refused.returncode == 2
    assert refused.stderr.startswith("rlvitals: nothing was stopped: copy says that process ")
    sleeper = subprocess.Popen(["sleep", "60"])
    for file in ("status.json", "process.json"):
        forged = json.loads((tmp_path / "copy" / file).read_text())
        forged |= {"pid": sleeper.pid, "started": psutil.Process(sleeper.pid).create_time()}
        (tmp_path / "copy" / file).write_text(json.dumps(forged))
    refused = rlvitals("stop", "copy")
    assert (refused.returncode, sleeper.poll(), training.poll()) == (2, None, None)
    sleeper.kill()
    sleeper.wait()


def test_a_run_whose_process_lives_without_a_step_is_said_not_to_move(rlvitals: Rlvitals, tmp_path: Path) -> None:
    with RunLog(tmp_path / "a", algorithm="grpo") as log:
        for step in (1, 2):
            log.log(step, {"reward": 0.5})
        events = log.directory / "events.jsonl"
        rows = [json.loads(line) for line in events.read_text().splitlines()]
        events.write_text("".join(json.dumps({**row, "time": row["time"] - 720}) + "\n" for row in rows))
        assert "running, no step for 12 min, though its process lives" in rlvitals("runs", "a").stdout
