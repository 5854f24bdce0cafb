"""Commands and trainings on a real Ray cluster: they wait, run, stop with what they have, fail, and are told of."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from diagnostics.runlog import RecordError, StatusRecord
from tests.published_schemas import published
from trainer.launch.executors import ExecutorError, JobState, RayExecutor, Resources, Task

pytestmark = [pytest.mark.ray, pytest.mark.slow]

COMMAND = Path(sys.executable).with_name("rlvitals")
SECONDS = 90.0
SCRIPT = """
import os, signal, sys, time
from rlvitals import RunLog
log = RunLog(sys.argv[1], algorithm="grpo", producer="trl", config={"learning_rate": 1e-5})
def save(*_):
    time.sleep(5)  # longer than Ray waits of itself before it kills
    log.close("stopped")
    sys.exit(0)
signal.signal(signal.SIGTERM, save)
print("job as", os.environ["MINE"], flush=True)
for step in range(1, int(sys.argv[2]) + 1):
    log.log(step, {"reward": step / 10})
    time.sleep(0.1)
log.close("finished")
"""
RECIPE = """
[recipe.mine]
command = ["{python}", "train.py", "{run_dir}", "{steps}"]
environment = { MINE = "me", PYTHONPATH = "ROOT" }
ray = { cpus_per_task = 1, signal_delay_s = 30 }
[recipe.mine.parameters]
steps = { type = "int", min = 1, max = 100000, default = 5 }
"""


def wait_for(holds: Callable[[], object], told: Callable[[], object] = lambda: "") -> None:
    deadline = time.monotonic() + SECONDS
    while not holds():
        assert time.monotonic() < deadline, told()
        time.sleep(0.5)


@pytest.fixture
def here(ray_address: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder and an empty queue of a user of the cluster."""
    monkeypatch.setenv("RAY_API_SERVER_ADDRESS", ray_address)
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    monkeypatch.setenv("RLVITALS_RECIPES", str(tmp_path / "recipes.toml"))
    monkeypatch.chdir(tmp_path)
    (tmp_path / "train.py").write_text(SCRIPT)
    (tmp_path / "recipes.toml").write_text(RECIPE.replace("ROOT", str(Path(__file__).parents[2])))
    return tmp_path


def rlvitals(*words: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run([COMMAND, *words], capture_output=True, text=True, timeout=60, check=False)


def jobs(*words: str) -> dict[int, dict[str, Any]]:
    done = rlvitals("queue", *words, "--format", "json")
    assert done.returncode == 0, done.stderr
    return {job["id"]: job for job in published(done.stdout, "queue")["jobs"]}


def state(run: str) -> tuple[str, int]:
    try:
        status = StatusRecord.read(Path("runs") / run)
    except RecordError:
        return "", 0
    return status.state, status.step or 0


def test_a_recipe_runs_on_the_cluster_and_is_stopped_with_what_it_has(here: Path) -> None:
    jobs("add", "--recipe", "mine")
    wait_for(lambda: jobs("list")[1]["state"] == "finished", lambda: Path(jobs("list")[1]["console"]).read_text())
    console = Path(jobs("list")[1]["console"]).read_text()
    assert "job as me\n" in console
    assert console.rstrip().endswith("is finished")
    assert state("mine-1") == ("finished", 5)

    jobs("add", "--recipe", "mine", "--set", "steps=100000")
    wait_for(lambda: state("mine-2")[1] > 2)
    assert "is running" in rlvitals("runs", "runs").stdout or state("mine-2")[0] == "running"
    jobs("stop", "2")
    wait_for(lambda: jobs("list")[2]["state"] == "finished")
    assert state("mine-2")[0] == "stopped"  # five seconds after the signal: the cluster waited for it

    jobs("add", "--recipe", "mine", "--set", "steps=100000")
    wait_for(lambda: state("mine-3")[1] > 2)
    os.killpg(jobs("list")[3]["pid"], signal.SIGKILL)  # as if this machine were restarted
    wait_for(lambda: jobs("list")[3]["state"] in ("failed", "killed"))
    before = state("mine-3")[1]
    jobs("retry", "3")
    wait_for(lambda: state("mine-3")[1] > before + 10)  # the very same job goes on
    jobs("kill", "3")
    wait_for(lambda: jobs("list")[3]["state"] == "killed")
    wait_for(lambda: state("mine-3")[0] == "stopped")


def test_the_bundled_trainer_trains_there_and_stops_with_a_checkpoint(here: Path) -> None:
    words = ("--report_to", "none", "--executor", "ray", "--cpus_per_task", "1", "--run_dir", "runs/a")
    done = rlvitals("train", "grpo", "--max_steps", "5000", *words)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("Ray job rlvitals-")
    wait_for(lambda: state("a")[1] > 2)
    assert "saves a checkpoint and ends (Ray job " in rlvitals("stop", "runs/a").stdout
    wait_for(lambda: state("a")[0] == "stopped")
    assert len(list((here / "runs" / "a" / "checkpoints").iterdir())) == 1


def test_a_job_that_waits_for_what_it_reserves_ends_at_its_turn_once_it_is_stopped(here: Path) -> None:
    executor = RayExecutor()
    before = executor.start(Task(("sleep", "8"), "holds"), here, Resources(cpus_per_task=2))
    wait_for(lambda: executor.states([before])[0].state is JobState.RUNNING)
    handle = executor.start(Task(("sleep", "600"), "waits"), here, Resources(cpus_per_task=1))
    wait_for(lambda: executor.states([handle])[0].reason)
    assert executor.states([handle])[0].state is JobState.QUEUED
    executor.stop(handle, here)
    wait_for(lambda: not executor.states([handle])[0].is_live)
    assert executor.states([handle])[0].state is JobState.KILLED
    with pytest.raises(ExecutorError, match="does not wait or run any more"):
        executor.stop(handle, here)


def test_a_command_that_fails_and_what_the_cluster_cannot_do_are_told(here: Path, ray_address: str) -> None:
    executor = RayExecutor()
    told = ("sh", "-c", "echo 'a; b' $MINE; exit 3")
    handle = executor.start(Task(told, "fails", environment={"MINE": "it's"}), here, Resources())
    wait_for(lambda: not executor.states([handle])[0].is_live)
    (status,) = executor.states([handle])
    assert (status.state, "exit code 3" in status.reason) == (JobState.FAILED, True), status
    whole = executor.printed(handle, here, 0)
    assert b"a; b it's\n" in whole
    assert executor.printed(handle, here, 3) == whole[3:]
    unknown = type(handle)("ray", "rlvitals-none", ray_address, "rlvitals-none")
    assert executor.states([unknown])[0].state is JobState.UNKNOWN
    with pytest.raises(ExecutorError, match="a Ray job cannot be asked for nodes"):
        executor.start(Task(told, "two"), here, Resources(nodes=2))
    gone = type(handle)("ray", "a", "http://127.0.0.1:1", "a")
    with pytest.raises(ExecutorError, match=r"the Ray cluster at 127\.0\.0\.1:1 does not answer"):
        executor.states([gone])
