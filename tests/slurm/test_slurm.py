"""Trainings on a real Slurm cluster: they wait, run on two machines, stop, are killed, and go on after a time limit."""

import json
import os
import signal
from pathlib import Path
from typing import Any

import pytest

from diagnostics.runlog import RUN_FILE
from tests.published_schemas import published
from tests.slurm.cluster import HOST
from tests.slurm.conftest import Login
from trainer.launch.executors import JobState, Resources, SlurmExecutor, Task

pytestmark = [pytest.mark.slurm, pytest.mark.slow]

FEW = ("--max_steps", "6", "--save_strategy", "no")
SEEN_RUNNING = ("--max_steps", "60", "--save_strategy", "no")
MANY = ("--max_steps", "5000")


def test_a_training_waits_and_then_two_machines_train_as_one(login: Login) -> None:
    with login.held_up():
        wanted = ("--nodes", "2", "--cpus_per_task", "1", "--time", "10", "--partition", "debug")
        said = login.train("grpo", *SEEN_RUNNING, "--run_dir", "a", *wanted)
        assert said.startswith("Slurm job ")
        assert f" trains grpo on addition into {login.folder / 'a'}" in said
        (job,) = published(login.rlvitals("status", "a", "--format", "json").stdout, "status")["jobs"]
        assert (job["state"], job["reason"], job["has_begun"]) == ("queued", "PartitionDown", False)
        assert "is queued (PartitionDown)" in login.rlvitals("runs", ".").stdout
        refused = login.rlvitals("train", "grpo", "--run_dir", "a", "--executor", "slurm")
        assert (refused.returncode, "is queued and trains into" in refused.stderr) == (2, True)
    login.wait_for(lambda: login.state("a") == "running")
    login.wait_for(lambda: login.state("a") == "finished")
    assert published(login.rlvitals("runs", ".", "--format", "json").stdout, "runs")["jobs"] == []
    assert login.steps("a") == list(range(1, 61))
    assert json.loads((login.folder / "a" / RUN_FILE).read_text())["config"]["num_processes"] == 2
    assert "computes on 2 × cpu, 1 thread each" in (login.folder / "a" / "console.log").read_text()
    assert (login.folder / "a" / "console.rank1.log").exists()


def test_a_training_is_stopped_with_its_checkpoint_and_resumed_as_a_job(login: Login) -> None:
    login.train("grpo", *MANY, "--run_dir", "a", "--nodes", "2")
    login.wait_for(lambda: len(login.steps("a")) > 2)
    assert "finishes its step, saves a checkpoint and ends (Slurm job " in login.rlvitals("stop", "a").stdout
    login.wait_for(lambda: login.state("a") == "stopped")
    last = login.steps("a")[-1]
    assert [path.name for path in (login.folder / "a" / "checkpoints").iterdir()] == [f"step-{last}"]
    login.train("--resume", "a", "--max_steps", str(last + 3))
    login.wait_for(lambda: login.state("a") == "finished")
    assert login.steps("a") == list(range(1, last + 4))


def test_a_waiting_job_is_taken_back(login: Login) -> None:
    with login.held_up():
        login.train("grpo", *MANY, "--run_dir", "a")
        assert "was taken back before it began" in login.rlvitals("stop", "a").stdout
    assert not (login.folder / "a").exists()
    assert login.cluster.run("squeue", "--noheader") == ""


def test_the_time_limit_leaves_a_checkpoint_from_which_the_training_goes_on(login: Login) -> None:
    login.train("grpo", *MANY, "--run_dir", "a", "--time", "1", "--signal_delay_s", "20")
    login.wait_for(lambda: login.state("a") == "stopped", seconds=150)
    assert "the scheduler asked it to end (SIGUSR2" in login.status("a")["error"]
    last = login.steps("a")[-1]
    login.train("--resume", "a", "--max_steps", str(last + 2))
    login.wait_for(lambda: login.state("a") == "finished")
    assert login.steps("a") == list(range(1, last + 3))


def test_a_job_that_the_cluster_starts_again_goes_on_where_it_was(login: Login) -> None:
    said = login.train("grpo", *MANY, "--run_dir", "a", "--save_steps", "2")
    job = said.split()[2]
    login.wait_for(lambda: len(login.steps("a")) > 3)
    login.cluster.run("scontrol", "requeue", job)
    login.wait_for(lambda: bool(login.status("a").get("resumed")))
    (beginning,) = login.status("a")["resumed"]
    assert beginning["step"] >= 2
    login.wait_for(lambda: login.steps("a")[-1] > beginning["step"])


def test_a_killed_training_is_said_to_have_been_left_and_goes_on(login: Login) -> None:
    login.train("grpo", *MANY, "--run_dir", "a", "--save_steps", "2")
    login.wait_for(lambda: len(login.steps("a")) > 3)
    os.kill(login.status("a")["pid"], signal.SIGKILL)
    login.wait_for(lambda: "ended in the middle of the training" in login.told("a"))
    assert f"it goes on with: rlvitals train --resume {login.folder / 'a'}" in login.told("a")
    login.train("--resume", "a", "--max_steps", "6")
    login.wait_for(lambda: login.state("a") == "finished")


def test_a_job_that_cannot_begin_leaves_its_words(login: Login) -> None:
    file = login.folder / "grpo.toml"
    file.write_text("max_steps = 2\n")
    with login.held_up():
        login.train("grpo", "--config", "grpo.toml", "--run_dir", "a")
        file.unlink()
    login.wait_for(lambda: "ended before its training began" in login.told("a"))
    assert "(the configuration grpo.toml cannot be read:" in login.told("a")


def test_what_the_cluster_refuses_is_said(login: Login) -> None:
    done = login.rlvitals("train", "grpo", "--executor", "slurm", "--partition", "nowhere")
    assert done.returncode == 2
    assert "Slurm does not take the job: " in done.stderr
    assert "invalid partition" in done.stderr


SCRIPT = """
import os, signal, sys, time
from rlvitals import RunLog
signal.signal(signal.SIGTERM, lambda *_: log.close("stopped") or sys.exit(0))
log = RunLog(sys.argv[1], algorithm="grpo", producer="trl", config={"learning_rate": float(sys.argv[2])})
print("job", os.environ["SLURM_JOB_ID"], "as", os.environ["MINE"], flush=True)
for step in range(1, int(sys.argv[3]) + 1):
    log.log(step, {"reward": step / 10})
    time.sleep(0.1)
log.close("finished")
"""
RECIPE = """
[recipe.mine]
command = ["{python}", "train.py", "{run_dir}", "{learning_rate}", "{steps}"]
environment = { MINE = "me" }
slurm = { nodes = 1, cpus_per_task = 1, partition = "{partition}" }
[recipe.mine.parameters]
learning_rate = { type = "float", min = 0, max = 1, default = 1e-5 }
steps = { type = "int", min = 1, max = 100000, default = 5 }
partition = { type = "str", pattern = "[a-z]+", default = "debug" }
"""


def test_a_recipe_runs_on_the_cluster_and_the_queue_tells_of_it_stops_it_and_kills_it(
    login: Login, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    (login.folder / "train.py").write_text(SCRIPT)
    (login.folder / "recipes.toml").write_text(RECIPE)
    monkeypatch.setenv("RLVITALS_RECIPES", str(login.folder / "recipes.toml"))
    login.rlvitals("queue", "slots", "0")  # a job on the cluster takes no slot of this machine

    def jobs(*words: str) -> list[dict[str, Any]]:
        done = login.rlvitals("queue", *words, "--format", "json")
        assert done.returncode == 0, done.stderr
        return list(published(done.stdout, "queue")["jobs"])

    def job(number: int) -> dict[str, Any]:
        return next(job for job in jobs("list") if job["id"] == number)

    with login.held_up():
        (first,) = jobs("add", "--recipe", "mine", "--set", "steps=5")
        login.wait_for(lambda: "is queued (PartitionDown)" in login.told("runs/mine-1"))
        assert job(first["id"])["state"] == "running"
    login.wait_for(lambda: job(1)["state"] == "finished")
    console = Path(job(1)["console"]).read_text()
    assert "is queued (PartitionDown)\n" in console
    assert " as me\n" in console
    assert console.rstrip().endswith("is finished")
    assert login.state("mine-1") == "finished"

    jobs("add", "--recipe", "mine", "--set", "steps=100000")
    login.wait_for(lambda: len(login.steps("runs/mine-2")) > 2)
    jobs("stop", "2")
    login.wait_for(lambda: job(2)["state"] == "finished")
    assert (login.state("mine-2"), job(2)["detail"][:15]) == ("stopped", "stopped at step")

    jobs("add", "--recipe", "mine", "--set", "steps=100000")
    login.wait_for(lambda: len(login.steps("runs/mine-3")) > 2)
    os.killpg(job(3)["pid"], signal.SIGKILL)  # as if this machine were restarted
    login.wait_for(lambda: job(3)["state"] in ("failed", "killed"))
    jobs("retry", "3")
    login.wait_for(lambda: job(3)["state"] == "running")
    assert login.cluster.run("squeue", "--noheader").count("\n") == 1  # it goes on with the very same job
    jobs("kill", "3")
    login.wait_for(lambda: job(3)["state"] == "killed")
    login.wait_for(lambda: login.cluster.run("squeue", "--noheader") == "")

    jobs("add", "--recipe", "mine", "--set", "partition=nowhere")
    login.wait_for(lambda: job(4)["state"] == "failed")
    assert "Slurm does not take the job: " in job(4)["detail"]


def test_a_training_in_the_queue_runs_on_two_machines_is_stopped_and_goes_on_there(
    login: Login, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))

    def job(*words: str) -> dict[str, Any]:
        done = login.rlvitals("queue", *words)
        assert done.returncode == 0, done.stderr
        return dict(published(done.stdout, "queue")["jobs"][0])

    words = ("train", "grpo", *MANY, "--report_to", "none", "--executor", "slurm", "--nodes", "2")
    job("add", "--format", "json", "--run_dir", "a", "--", *words)
    login.wait_for(lambda: len(login.steps("a")) > 2)
    assert job("list", "--format", "json")["slot"] == "slurm-1"
    job("stop", "1", "--format", "json")
    login.wait_for(lambda: job("list", "--format", "json")["state"] == "finished")
    last = login.steps("a")[-1]
    assert (login.state("a"), job("list", "--format", "json")["detail"]) == ("stopped", f"stopped at step {last}")
    job("retry", "1", "--format", "json")
    login.wait_for(lambda: len(login.steps("a")) > last + 2)
    assert login.steps("a") == list(range(1, login.steps("a")[-1] + 1))
    assert json.loads((login.folder / "a" / RUN_FILE).read_text())["config"]["num_processes"] == 2
    job("kill", "1", "--format", "json")
    login.wait_for(lambda: login.cluster.run("squeue", "--noheader") == "")
    assert job("list", "--format", "json")["state"] == "killed"


def test_any_command_runs_as_a_job(login: Login, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("SLURM_CONF", login.cluster.environment["SLURM_CONF"])
    monkeypatch.chdir(tmp_path)
    executor = SlurmExecutor()
    told = "echo rank $RANK of $WORLD_SIZE at $MASTER_ADDR; sleep 600"
    handle = executor.start(Task(("sh", "-c", told), "a; name\nof mine"), tmp_path, Resources(nodes=2))
    login.wait_for(lambda: executor.states([handle])[0].state is JobState.RUNNING)
    login.wait_for(lambda: executor.console(tmp_path, 1 << 16).endswith(f"rank 0 of 2 at {HOST}\n".encode()))
    executor.kill(handle)
    login.wait_for(lambda: executor.states([handle])[0].state in (JobState.KILLED, JobState.FAILED))
