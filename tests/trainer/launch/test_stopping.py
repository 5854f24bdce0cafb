"""Tests of stopping: a training that proves itself is signalled, and nothing else ever is."""

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psutil
import pytest

from diagnostics.runlog import PROCESS_FILE, STATUS_FILE, RunLog
from trainer import launch

WRITER = """
import sys, time
from diagnostics.runlog import RunLog
log = RunLog(sys.argv[1], algorithm="grpo", total=9)
log.log(1, {"reward": 0.5})
print("ready", flush=True)
time.sleep(60)
"""


@pytest.fixture
def sleeper() -> Iterator[subprocess.Popen[bytes]]:
    """A process of ours that trains nothing."""
    process = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"])
    yield process
    process.kill()
    process.wait()


@pytest.fixture
def writer(tmp_path: Path) -> Iterator[subprocess.Popen[bytes]]:
    """A process that writes the run in tmp_path/a; SIGTERM ends it at once."""
    process = subprocess.Popen([sys.executable, "-c", WRITER, str(tmp_path / "a")], stdout=subprocess.PIPE)
    assert process.stdout is not None
    assert process.stdout.readline() == b"ready\n"
    yield process
    process.kill()
    process.wait()
    process.stdout.close()


def change(file: Path, **values: Any) -> None:
    file.write_text(json.dumps({**json.loads(file.read_text()), **values}))


@pytest.mark.process
def test_a_training_that_proves_itself_is_stopped(writer: subprocess.Popen[bytes], tmp_path: Path) -> None:
    assert launch.stop(tmp_path / "a") == f"{tmp_path / 'a'} finishes its step, saves a checkpoint and ends"
    assert writer.wait(10) == -signal.SIGTERM
    with pytest.raises(launch.LaunchError, match=r"its process \d+ is gone; there is nothing to stop"):
        launch.stop(tmp_path / "a")


@pytest.mark.process
def test_a_forged_status_gets_no_process_signalled(sleeper: subprocess.Popen[bytes], tmp_path: Path) -> None:
    with RunLog(tmp_path / "a") as log:
        named = {"pid": sleeper.pid, "started": psutil.Process(sleeper.pid).create_time()}
        change(log.directory / STATUS_FILE, **named)
        with pytest.raises(launch.LaunchError, match=r"nothing was stopped: .* names another run or process"):
            launch.stop(log.directory)
        change(log.directory / PROCESS_FILE, **named)
        with pytest.raises(launch.LaunchError, match=f"process {sleeper.pid} does not hold .* open"):
            launch.stop(log.directory)
    assert sleeper.poll() is None


@pytest.mark.process
def test_a_copy_of_a_running_training_does_not_stop_it(writer: subprocess.Popen[bytes], tmp_path: Path) -> None:
    shutil.copytree(tmp_path / "a", tmp_path / "copy")
    with pytest.raises(launch.LaunchError, match="the folder is a copy or was altered"):
        launch.stop(tmp_path / "copy")
    assert writer.poll() is None


@pytest.mark.process
def test_a_training_of_an_older_rlvitals_is_left_to_its_user(writer: subprocess.Popen[bytes], tmp_path: Path) -> None:
    (tmp_path / "a" / PROCESS_FILE).unlink()
    with pytest.raises(launch.LaunchError, match=f"older rlvitals .* Ctrl-C, or look at it with ps -fp {writer.pid}"):
        launch.stop(tmp_path / "a")
    assert writer.poll() is None


@pytest.mark.process
def test_a_suspended_training_is_said_to_stop_once_it_goes_on(writer: subprocess.Popen[bytes], tmp_path: Path) -> None:
    os.kill(writer.pid, signal.SIGSTOP)
    while psutil.Process(writer.pid).status() != psutil.STATUS_STOPPED:
        time.sleep(0.01)
    assert launch.stop(tmp_path / "a").endswith(f"suspended; let it go on with: kill -CONT {writer.pid}")
    assert writer.poll() is None
    os.kill(writer.pid, signal.SIGCONT)
    assert writer.wait(10) == -signal.SIGTERM


@pytest.mark.process
def test_without_process_handles_a_proved_training_is_stopped_by_its_pid(
    writer: subprocess.Popen[bytes], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delattr(os, "pidfd_open", raising=False)  # as on macOS
    launch.stop(tmp_path / "a")
    assert writer.wait(10) == -signal.SIGTERM


@pytest.mark.parametrize("value", [-1, 0, "5", 1.5, [1], float("nan"), {}, None, True, 2**31, 2**70])
def test_a_process_of_the_wrong_type_is_a_sentence(tmp_path: Path, value: Any) -> None:
    with RunLog(tmp_path / "a") as log:
        change(log.directory / STATUS_FILE, pid=value)
        with pytest.raises(launch.LaunchError, match=r"tells no process that could be stopped: .*status\.json"):
            launch.stop(log.directory)
