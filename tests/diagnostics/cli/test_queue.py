"""Tests of `rlvitals queue`: what it prints, what it changes, and what it refuses."""

import os
import signal
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from diagnostics.cli import main
from diagnostics.report.strict_json import json_types
from tests.published_schemas import published
from trainer.launch.queue import Queue

pytestmark = pytest.mark.process

SLEEPER = (sys.executable, "-c", "import time; time.sleep(60)")
Told = Callable[..., dict[str, Any]]


@pytest.fixture(autouse=True)
def queue(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Queue]:
    """An empty queue of one slot; what still runs of it at the end is killed."""
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    monkeypatch.chdir(tmp_path)
    made = Queue.of_user()
    made.set_slots(cpu=1, gpu=0)
    yield made
    for job in made.jobs():
        if job.process is not None and job.process.is_alive:
            os.killpg(job.process.pid, signal.SIGKILL)


@pytest.fixture
def told(capsys: pytest.CaptureFixture[str]) -> Told:
    """What `rlvitals queue …` prints for programs, held to its schema."""

    def ask(action: str, *words: object, after: tuple[object, ...] = ()) -> dict[str, Any]:
        more = ["--", *map(str, after)] if after else []
        code = main(["queue", action, *map(str, words), "--format", "json", *more])
        assert code == 0
        return published(capsys.readouterr().out, "queue")

    return ask


def states(told: Told) -> list[tuple[int, str]]:
    return [(job["id"], job["state"]) for job in told("list")["jobs"]]


def wait_for(look: Callable[[], object]) -> None:
    deadline = time.monotonic() + 30
    while not look():
        assert time.monotonic() < deadline, "it did not happen in time"
        time.sleep(0.05)


def test_jobs_are_added_moved_stopped_killed_tried_again_and_cloned(told: Told, capsys) -> None:
    assert told("add", after=SLEEPER)["message"] == "job 1 is queued"
    for text in ("two", "three"):
        told("add", after=(sys.executable, "-c", f"print({text!r})"))
    wait_for(lambda: states(told)[0] == (1, "running"))
    answer = told("list")
    assert answer["slots"] == [{"name": "cpu-1", "job": 1}]
    assert answer["is_worked_on"]
    assert [job["before"] for job in answer["jobs"]] == [None, 1, 2]
    assert answer["jobs"][0]["memory_bytes"] > 1_000_000
    assert [job["id"] for job in told("move", 3, 1)["jobs"]] == [3, 2]
    assert told("stop", 2)["jobs"][0]["detail"] == "taken out of the queue before it began"
    told("kill", 1)
    wait_for(lambda: dict(states(told)) == {1: "killed", 2: "killed", 3: "finished"})
    assert told("list")["jobs"][0]["exit_code"] in (0, -9)
    told("retry", 2)
    cloned = told("clone", 2, after=("more",))["jobs"][0]
    assert (cloned["id"], cloned["words"][-1]) == (4, "more")
    wait_for(lambda: dict(states(told)) == {1: "killed", 2: "finished", 3: "finished", 4: "finished"})
    assert Path(told("list", "--all")["jobs"][0]["console"]).read_text() == "two\n"
    assert main(["queue"]) == 0
    assert "Job  State     Name" in capsys.readouterr().out


def test_a_sweep_makes_a_job_for_each_point_and_seed(told: Told, tmp_path: Path) -> None:
    told("add", after=SLEEPER)
    words = ("--grid", "learning_rate=1e-5,1e-4", "--seeds", "1,2,3")
    jobs = told("sweep", *words, after=("train", "grpo", "--max_steps", "2"))["jobs"]
    assert len(jobs) == 6
    assert jobs[-1]["words"][-4:] == ["--learning_rate", "1e-4", "--seed", "3"]
    assert jobs[-1]["name"] == "grpo-addition-learning_rate-1e-4-seed-3"
    assert len(list((tmp_path / "runs").iterdir())) == 6
    told("stop", jobs[0]["id"])
    assert len(list((tmp_path / "runs").iterdir())) == 5  # the folder that was kept for it holds nothing
    assert json_types(told("clone", jobs[1]["id"], after=("--beta", "0.1"))["jobs"][0]["words"])[-2:] == [
        "--beta",
        "0.1",
    ]


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (("add",), "say what to run"),
        (("add", "--", "train", "grpo", "--num_generations", "7"), "does not divide by num_generations = 7"),
        (("add", "--", "train", "--resume", "nowhere"), "holds no rlvitals run"),
        (("add", "--slot", "gpu", "--", "true"), "no slot here takes a job that asks for 'gpu'; the slots are cpu-1"),
        (("sweep", "--", "train", "grpo"), "a sweep needs values"),
        (("sweep", "--grid", "learning_rate", "--", "train", "grpo"), "names no values"),
        (("sweep", "--seeds", "1,2", "--", "python", "train.py"), "a sweep changes the arguments of: train"),
        (("stop", "99"), "the queue has no job 99"),
        (("move", "99", "1"), "the queue has no job 99"),
        (("slots", "-3"), "-3"),
        (("list", "--", "x"), "nothing is expected after --"),
    ],
    ids=lambda words: " ".join(words) if isinstance(words, tuple) else "",
)
def test_what_cannot_be_done_is_refused_in_a_sentence(words: tuple[str, ...], why: str, capsys) -> None:
    assert main(["queue", *words]) == 2
    assert why in capsys.readouterr().err


def test_a_queue_that_others_may_write_is_not_used(queue: Queue, capsys) -> None:
    queue.place.chmod(0o666)
    assert main(["queue"]) == 2
    assert "others may write it, and what stands in it would run" in capsys.readouterr().err
    queue.place.chmod(0o600)


def test_a_job_whose_command_cannot_be_executed_says_so(told: Told) -> None:
    told("add", after=("no-such-program", "x"))
    wait_for(lambda: states(told) == [(1, "failed")])
    assert told("list")["jobs"][0]["detail"].startswith("no-such-program cannot be run in ")
