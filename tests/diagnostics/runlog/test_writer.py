"""Tests of the run log's writer: what is on disk, when, and in which spelling."""

import json
import math
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest

from diagnostics.runlog import EVENTS_FILE, RUN_FILE, SAMPLES_FILE, STATUS_FILE, RunLog, RunLogError
from diagnostics.runlog.writer import encode

WRITER = """
import sys
from diagnostics.runlog import RunLog, RunLogError, writer

writer.HEARTBEAT_SECONDS = 0.02
log = RunLog(sys.argv[1])
print("open", flush=True)
try:
    for line in sys.stdin:
        log.log(int(line), {"reward": 1.0})
        print("logged", flush=True)
except RunLogError as error:
    log.close("failed", str(error))
    sys.exit(str(error))
log.close()
"""
Writer = subprocess.Popen[str]


def rows(path: Path) -> list[dict[str, object]]:
    return [json.loads(line) for line in path.read_text().splitlines()]


def status(directory: Path) -> dict[str, object]:
    return json.loads((directory / STATUS_FILE).read_text())


def test_a_step_is_on_disk_when_log_returns(tmp_path: Path) -> None:
    log = RunLog(tmp_path / "a", name="a", algorithm="grpo", config={"beta": 0.04}, total=10)
    log.log(1, {"reward": 0.5}, samples=[{"query": "1+1=", "response": "2", "score": 1.0}])

    (event,) = rows(tmp_path / "a" / EVENTS_FILE)
    assert (event["step"], event["metrics"]) == (1, {"reward": 0.5})
    assert rows(tmp_path / "a" / SAMPLES_FILE) == [{"step": 1, "query": "1+1=", "response": "2", "score": 1.0}]
    assert status(tmp_path / "a")["state"] == "running"
    log.close()


def test_nan_and_infinity_are_written_as_json_constants(tmp_path: Path) -> None:
    with RunLog(tmp_path / "a") as log:
        log.log(1, {"loss": math.nan, "kl": math.inf, "ratio": -math.inf, "lr": np.float32(0.5)})

    line = (tmp_path / "a" / EVENTS_FILE).read_text()
    assert '"loss": NaN, "kl": Infinity, "ratio": -Infinity, "lr": 0.5' in line


def test_a_nan_deep_inside_a_sample_is_not_lost() -> None:
    assert b'"length": NaN' in encode({"rewards": {"length": np.float64("nan")}})
    assert b"[1.0, NaN]" in encode({"histogram": np.array([1.0, math.nan])})


def test_a_folder_that_holds_a_run_is_refused(tmp_path: Path) -> None:
    RunLog(tmp_path / "a").close()
    with pytest.raises(RunLogError, match="already holds a run; choose another run_dir"):
        RunLog(tmp_path / "a")


def test_a_place_that_cannot_hold_a_folder_is_said_in_words(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("not a folder")
    with pytest.raises(RunLogError, match="cannot write a run to"):
        RunLog(tmp_path / "file" / "a")


def test_an_exception_ends_the_run_as_failed_with_its_words(tmp_path: Path) -> None:
    with pytest.raises(ZeroDivisionError), RunLog(tmp_path / "a") as log:
        log.log(1, {"reward": 1.0})
        raise ZeroDivisionError("division by zero")

    ended = status(tmp_path / "a")
    assert (ended["state"], ended["error"]) == ("failed", "ZeroDivisionError: division by zero")


def test_the_final_state_is_not_overwritten_by_a_late_close(tmp_path: Path) -> None:
    log = RunLog(tmp_path / "a")
    log.close("stopped")
    log.close("finished")
    assert status(tmp_path / "a")["state"] == "stopped"


def test_the_heart_beats_between_steps(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("diagnostics.runlog.writer.HEARTBEAT_SECONDS", 0.02)
    log = RunLog(tmp_path / "a")
    first = status(tmp_path / "a")["heartbeat"]
    deadline = time.monotonic() + 5
    while status(tmp_path / "a")["heartbeat"] == first and time.monotonic() < deadline:
        time.sleep(0.01)
    assert status(tmp_path / "a")["heartbeat"] > first
    log.close()


def test_the_run_file_says_who_wrote_it_and_with_what(tmp_path: Path) -> None:
    RunLog(tmp_path / "a", name="first", algorithm="ppo", task="remarks", config={"seed": 3}, parent="b").close()
    run = json.loads((tmp_path / "a" / RUN_FILE).read_text())
    assert (run["schema_version"], run["name"], run["algorithm"], run["task"]) == (1, "first", "ppo", "remarks")
    assert (run["config"], run["parent"]) == ({"seed": 3}, "b")
    assert run["versions"]["numpy"] == np.__version__
    assert status(tmp_path / "a")["pid"] == os.getpid()


@pytest.fixture
def start_writer(tmp_path: Path) -> Iterator[Callable[[], Writer]]:
    """Starts a process that writes a run to the same directory each time, a step for each number it is told."""
    writers: list[Writer] = []

    def start() -> Writer:
        command = [sys.executable, "-c", WRITER, str(tmp_path / "a")]
        writers.append(
            subprocess.Popen(
                command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, bufsize=1
            )
        )
        assert answer(writers[-1]) == "open"
        return writers[-1]

    yield start
    for writer in writers:
        writer.kill()
        writer.communicate()


def answer(writer: Writer) -> str:
    assert writer.stdout is not None
    return writer.stdout.readline().strip()


def log_step(writer: Writer, step: int) -> str:
    assert writer.stdin is not None
    writer.stdin.write(f"{step}\n")
    return answer(writer)


def writing_pids(directory: Path, seconds: float) -> set[object]:
    """The processes that status.json names meanwhile."""
    found, end = set[object](), time.monotonic() + seconds
    while time.monotonic() < end:
        found.add(status(directory)["pid"])
    return found


@pytest.mark.process
def test_a_writer_whose_folder_was_replaced_leaves_the_new_run_alone_and_says_so(
    start_writer: Callable[[], Writer], tmp_path: Path
) -> None:
    old = start_writer()
    assert log_step(old, 1) == "logged"
    shutil.rmtree(tmp_path / "a")
    new = start_writer()
    assert log_step(new, 1) == "logged"

    assert writing_pids(tmp_path / "a", 0.5) == {new.pid}  # while both hearts beat
    time.sleep(1)
    assert log_step(old, 2) == ""
    _, said = old.communicate(timeout=20)
    assert old.returncode == 1
    assert said == f"{tmp_path / 'a'} no longer holds this run: it was removed or replaced while the run was written\n"
    assert writing_pids(tmp_path / "a", 0.2) == {new.pid}
    assert log_step(new, 2) == "logged"
    assert [row["step"] for row in rows(tmp_path / "a" / EVENTS_FILE)] == [1, 2]


@pytest.mark.process
def test_a_writer_whose_folder_was_emptied_leaves_a_new_run_in_it_alone(
    start_writer: Callable[[], Writer], tmp_path: Path
) -> None:
    old = start_writer()
    for file in (tmp_path / "a").iterdir():
        file.unlink(missing_ok=True)  # its heart beats meanwhile
    new = start_writer()

    assert writing_pids(tmp_path / "a", 0.5) == {new.pid}
    old.communicate("", timeout=20)
    assert old.returncode == 0
    assert status(tmp_path / "a")["state"] == "starting"


def test_a_deleted_folder_is_not_made_again_and_a_moved_one_is_written_once_it_is_back(tmp_path: Path) -> None:
    log = RunLog(tmp_path / "a")
    (tmp_path / "a").rename(tmp_path / "b")
    with pytest.raises(RunLogError, match="a no longer holds this run"):
        log.heartbeat()
    (tmp_path / "b").rename(tmp_path / "a")
    log.heartbeat()
    shutil.rmtree(tmp_path / "a")
    log.close()
    assert not (tmp_path / "a").exists()


def test_the_device_is_noted_once_it_is_known(tmp_path: Path) -> None:
    with RunLog(tmp_path / "a") as log:
        assert "device" not in status(log.directory)
        log.note_device("cuda")
        log.log(1, {"reward": 0.5})
    assert (status(log.directory)["device"], status(log.directory)["state"]) == ("cuda", "finished")
