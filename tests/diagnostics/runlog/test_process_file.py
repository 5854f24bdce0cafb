"""Tests of the process file: only the process that holds this very file open has proved itself."""

import json
import os
import shutil
import stat
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import psutil
import pytest

from diagnostics.runlog import PROCESS_FILE, RunLog
from diagnostics.runlog.process import ProcessIdentity
from diagnostics.runlog.process_file import NotProven, check_proof

ME = ProcessIdentity.current()


@pytest.fixture
def log(tmp_path: Path):
    with RunLog(tmp_path / "a", algorithm="grpo") as log:
        yield log


def test_a_writer_proves_itself_for_as_long_as_it_writes(tmp_path: Path) -> None:
    log = RunLog(tmp_path / "a")
    file = log.directory / PROCESS_FILE
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    check_proof(log.directory, log.run_id, ME)
    log.close()
    assert not file.exists()
    with pytest.raises(NotProven, match="cannot be opened: No such file"):
        check_proof(log.directory, log.run_id, ME)


def test_a_resumed_run_is_proved_anew_beside_the_file_of_its_dead_writer(tmp_path: Path) -> None:
    RunLog(tmp_path / "a").close()
    (tmp_path / "a" / PROCESS_FILE).write_text("left behind")
    log = RunLog.resume(tmp_path / "a", step=0)
    check_proof(log.directory, log.run_id, ME)
    log.close()


def test_a_moved_run_stays_proved_and_a_copied_one_does_not(log: RunLog, tmp_path: Path) -> None:
    shutil.copytree(log.directory, tmp_path / "copy")
    with pytest.raises(NotProven, match=f"process {ME.pid} does not hold .*copy/process.json open"):
        check_proof(tmp_path / "copy", log.run_id, ME)
    check_proof(log.directory.rename(tmp_path / "moved"), log.run_id, ME)


def test_another_run_or_process_is_not_proved(log: RunLog) -> None:
    for run_id, process in (("another", ME), (log.run_id, replace(ME, started=1.0)), (log.run_id, replace(ME, pid=1))):
        with pytest.raises(NotProven, match="names another run or process"):
            check_proof(log.directory, run_id, process)


def test_a_file_that_others_could_have_made_proves_nothing(log: RunLog, tmp_path: Path) -> None:
    file = log.directory / PROCESS_FILE
    file.chmod(0o644)
    with pytest.raises(NotProven, match="is not a regular file of yours with mode 600"):
        check_proof(log.directory, log.run_id, ME)
    file.chmod(0o600)
    file.rename(tmp_path / "elsewhere")
    file.symlink_to(tmp_path / "elsewhere")
    with pytest.raises(NotProven, match="cannot be opened"):
        check_proof(log.directory, log.run_id, ME)
    file.unlink()
    os.mkfifo(file, 0o600)
    with pytest.raises(NotProven, match="is not a regular file of yours"):
        check_proof(log.directory, log.run_id, ME)


def test_an_ended_writer_leaves_the_file_of_a_new_run_in_its_place_alone(tmp_path: Path) -> None:
    old = RunLog(tmp_path / "a")
    shutil.rmtree(tmp_path / "a")
    new = RunLog(tmp_path / "a")
    old.close()
    check_proof(tmp_path / "a", new.run_id, ME)
    new.close()


@pytest.mark.process
def test_a_process_that_opened_the_file_once_and_closed_it_is_not_proved(tmp_path: Path) -> None:
    child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"])
    try:
        process = replace(ME, pid=child.pid, started=psutil.Process(child.pid).create_time())
        with RunLog(tmp_path / "a") as log:
            file = tmp_path / "a" / PROCESS_FILE
            file.write_text(json.dumps({**json.loads(file.read_text()), "pid": child.pid, "started": process.started}))
            with pytest.raises(NotProven, match=f"process {child.pid} does not hold"):
                check_proof(log.directory, log.run_id, process)
    finally:
        child.kill()
        child.wait()
