"""Tests of executors: what is asked of a cluster, the script that it gets, and jobs on this machine."""

import sys
from pathlib import Path

import pytest

from tests.slurm_stand_ins import install_stand_ins
from trainer.config.options import ConfigError
from trainer.launch.executors import ExecutorError, Handle, JobState, Resources, SlurmExecutor, Task, following
from trainer.launch.executors.job_records import job_folder, job_of, jobs_below, made_job_folder, new_record
from trainer.launch.executors.slurm_task import STOP_FILE
from trainer.launch.submission import Placement


@pytest.fixture(autouse=True)
def jobs_of_the_test(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Keep the jobs of each test where no other test looks."""
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))


@pytest.fixture
def slurm(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with the script that was submitted, the queue that is told and what was cancelled."""
    folder = tmp_path / "slurm"
    install_stand_ins(folder, monkeypatch)
    return folder


def test_where_and_what_of_is_taken_out_of_the_arguments_of_a_training() -> None:
    words = [
        "grpo",
        "--executor",
        "slurm",
        "--nodes=2",
        "--max_steps",
        "5",
        "--cpus-per-task",
        "4",
        "--time",
        "1-00:00:00",
    ]
    placement, rest = Placement.taken_from(words)
    assert rest == ["grpo", "--max_steps", "5"]
    assert placement == Placement("slurm", Resources(nodes=2, cpus_per_task=4, time="1-00:00:00"))
    assert Placement.taken_from(["grpo"]) == (Placement("local", Resources()), ["grpo"])


@pytest.mark.parametrize(
    "words",
    [
        ("--executor", "pbs"),
        ("--nodes", "2"),
        ("--executor", "slurm", "--nodes", "0"),
        ("--executor", "slurm", "--nodes", "two"),
        ("--executor", "slurm", "--mem", "much"),
        ("--executor", "slurm", "--time", "tomorrow"),
        ("--executor", "slurm", "--partition", "a\ntouch /tmp/b"),
        ("--executor", "slurm", "--partition", "a b"),
        ("--executor", "slurm", "--account", "-x"),
        ("--executor", "slurm", "--cpus_per_task", "99999999999"),
    ],
)
def test_what_no_cluster_takes_is_refused_before_it_is_asked(words: tuple[str, ...]) -> None:
    with pytest.raises(ConfigError, match=r"must be|asks for a cluster's resources"):
        Placement.taken_from(["grpo", *words])


@pytest.mark.parametrize(
    ("resources", "processes", "each"),
    [
        (Resources(), 1, 1),
        (Resources(nodes=2, gpus_per_node=8), 1, 8),
        (Resources(nodes=2), 4, 2),
        (Resources(nodes=2, tasks_per_node=2), 4, 2),
        (Resources(tasks_per_node=3, gpus_per_node=8), 1, 3),
    ],
)
def test_processes_are_spread_evenly(resources: Resources, processes: int, each: int) -> None:
    placed = resources.placed(processes)
    assert (placed.tasks_per_node, placed.processes) == (each, each * resources.nodes)


@pytest.mark.parametrize("resources", [Resources(nodes=2), Resources(nodes=3, tasks_per_node=2)])
def test_processes_that_cannot_be_spread_are_refused(resources: Resources) -> None:
    with pytest.raises(ConfigError, match="num_processes is 5"):
        resources.placed(5)


@pytest.mark.process
def test_the_script_asks_for_what_was_asked_and_runs_nothing_else(slurm: Path, tmp_path: Path) -> None:
    resources = Resources(
        nodes=2, gpus_per_node=8, tasks_per_node=8, mem="16G", time="90", partition="h100", cpus_per_task=4
    )
    task = Task(("python", "train.py"), "a run\ntouch b", begun=tmp_path / "it's" / "run.json")
    handle = SlurmExecutor().start(task, made_job_folder(tmp_path / "a"), resources)
    script = (slurm / "script").read_text().splitlines()
    asked = {line.removeprefix("#SBATCH --") for line in script if line.startswith("#SBATCH")}
    wanted = {"nodes=2", "gpus-per-node=8", "ntasks-per-node=8", "mem=16G", "time=90", "partition=h100", "requeue"}
    assert asked >= {*wanted, "cpus-per-task=4", "signal=USR2@90", "job-name=a_run_touch_b", f"comment={handle.token}"}
    begun = str(tmp_path / "it's" / "run.json").replace("'", "'\"'\"'")
    commands = [line for line in script if line and not line.startswith("#")]
    assert commands[:-1] == [f"test -e '{begun}' && export RLVITALS_BEGUN=1", "export SUBMITIT_EXECUTOR=slurm"]
    assert commands[-1].startswith("srun ")
    assert "--cpus-per-task=4" in commands[-1]
    assert f"{sys.executable} -P -u -m submitit" in commands[-1]
    assert (handle.executor, handle.job_id, handle.cluster) == ("slurm", "7", "here")


@pytest.mark.process
def test_a_job_is_known_by_its_token_and_asked_about_at_its_own_cluster(slurm: Path) -> None:
    executor = SlurmExecutor()
    ours = Handle("slurm", "7", "here", "rlvitals:1")
    (slurm / "queue").write_text("RUNNING|None|another's job\nPENDING|Priority|rlvitals:1\n")
    (status,) = executor.states([ours])
    assert (status.state, status.reason, status.is_live) == (JobState.QUEUED, "Priority", True)
    (slurm / "queue").write_text("RUNNING|None|another's job with the id 7\n")
    (status,) = executor.states([ours])
    assert (status.state, status.reason) == (JobState.FAILED, "TIMEOUT")
    with pytest.raises(ExecutorError, match=r"of the cluster there; this machine's is here"):
        executor.states([Handle("slurm", "7", "there", "rlvitals:1")])


@pytest.mark.process
def test_only_a_job_that_waits_or_runs_is_ended(slurm: Path, tmp_path: Path) -> None:
    ours = Handle("slurm", "7", "here", "rlvitals:1")
    with pytest.raises(ExecutorError, match="does not wait or run any more"):
        SlurmExecutor().stop(ours, tmp_path)
    assert not (slurm / "cancelled").exists()
    (slurm / "queue").write_text("RUNNING|None|rlvitals:1\n")
    SlurmExecutor().stop(ours, tmp_path)
    told = (slurm / "cancelled").read_text().splitlines()
    assert told == ["--quiet --state=PENDING 7", "--quiet --state=RUNNING --signal=TERM 7"]
    assert (tmp_path / STOP_FILE).exists()


def test_a_machine_without_slurm_says_what_it_lacks(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    assert not SlurmExecutor.is_here()
    with pytest.raises(ExecutorError, match="this machine has no sbatch, squeue, scancel, scontrol"):
        SlurmExecutor().start(Task(("true",), "a"), tmp_path, Resources())


def test_the_newest_job_of_a_folder_is_kept_in_the_users_own_data(tmp_path: Path) -> None:
    run = tmp_path / "runs" / "a"
    assert job_of(run) is None
    folder = made_job_folder(run)
    assert folder.stat().st_mode & 0o777 == 0o700
    for job_id in ("1", "2"):
        new_record(Handle("slurm", job_id, "here", "t"), run, ("true",), {"nodes": 1}).save()
    found = job_of(run)
    assert found is not None
    assert (found.handle.job_id, found.run_dir, found.command) == ("2", run, ("true",))
    assert list(jobs_below(tmp_path / "runs")) == list(jobs_below(run)) == [found]
    assert list(jobs_below(tmp_path / "run")) == []
    assert not run.exists()
    (folder / "job.json").write_text('{"handle": []}')
    with pytest.raises(ExecutorError, match=r"is no record of a job .*; remove .* to forget it"):
        job_of(run)
    assert list(jobs_below(run)) == []
    assert job_folder(run) == folder


@pytest.mark.process
def test_a_stop_that_the_cluster_did_not_take_is_asked_for_again(
    slurm: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(following, "LOOK_SECONDS", 0.01)
    (slurm / "queue").write_text("RUNNING|None|rlvitals:1\n")
    (slurm / "scancel").write_text(
        "#!/bin/sh\n"
        'if mkdir "$STAND_IN/tried" 2>/dev/null; then echo Unable to contact slurm controller >&2; exit 1; fi\n'
        'echo "$@" >> "$STAND_IN/cancelled"\n'
        '> "$STAND_IN/queue"\n'
    )
    made_job_folder(tmp_path / "a")
    record = new_record(Handle("slurm", "7", "here", "rlvitals:1"), tmp_path / "a", ["true"], {})
    job = following.Following(SlurmExecutor(), record)
    job.ask_to_stop()
    assert job.to_its_end() == 0
    assert "--state=RUNNING --signal=TERM 7" in (slurm / "cancelled").read_text()


def test_a_cluster_that_does_not_answer_is_asked_ever_less_often() -> None:
    assert [following.pause_after(silences) for silences in (0, 1, 2, 3, 4, 5, 9999)] == [3, 6, 12, 24, 48, 60, 60]
