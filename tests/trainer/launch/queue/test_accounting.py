"""Tests that every job is accounted for, whatever dies: worker, submitter, the processes beside jobs, the machine."""

import json
import os
import random
import signal
import sqlite3
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import psutil
import pytest

from diagnostics.runlog import RecordError, StatusRecord
from trainer.launch import LaunchError
from trainer.launch.executors import Handle
from trainer.launch.executors.job_records import made_job_folder, new_record
from trainer.launch.queue import Job, Queue, Spec, State
from trainer.launch.queue.ending import ask_to_stop, kill
from trainer.launch.queue.submitting import command_spec, submit
from trainer.launch.queue.worker import MOST_IN_VAIN, ensure_worker, is_worked_on

pytestmark = pytest.mark.process

PATIENCE = 60.0
WRITER = """
import sys, time
from diagnostics.runlog import RunLog

folder, steps, ending = sys.argv[1], int(sys.argv[2]), sys.argv[3]
with RunLog(folder, algorithm="grpo", total=steps) as log:
    for step in range(1, steps + 1):
        log.log(step, {"reward": step / 10})
        time.sleep(0.05)
    if ending == "raises":
        raise SystemExit("the reward went away")
if ending == "fails":
    sys.exit("nothing more to say")
"""
PARENT = """
import subprocess, sys, time
child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"])
open(sys.argv[1], "w").write(f"{child.pid}\\n")
time.sleep(60)
"""
SUBMITTER = """
import json, os, signal, sys
from pathlib import Path
from trainer.launch.queue import Queue, Spec
from trainer.launch.queue.submitting import submit

submit([Spec.from_json(line.encode()) for line in sys.stdin.read().splitlines()], Queue(Path(sys.argv[1])))
os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.fixture
def queue(tmp_path: Path) -> Iterator[Queue]:
    """A queue of two slots; what still runs of it at the end is killed."""
    made = Queue(tmp_path / "queue")
    made.set_slots(cpu=2, gpu=0)
    yield made
    for process in [*workers(made), *beside_jobs(made)]:
        with suppress(psutil.NoSuchProcess):  # it has ended by itself
            process.kill()
    for job in made.jobs():
        if job.process is not None and job.process.is_alive:
            os.killpg(job.process.pid, signal.SIGKILL)


def writer(folder: Path, steps: int, ending: str) -> Spec:
    words = (sys.executable, "-c", WRITER, str(folder), str(steps), ending)
    return command_spec(words, folder.parent, name=folder.name, run_dir=folder)


def of_queue(module: str, queue: Queue) -> list[psutil.Process]:
    found = []
    for process in psutil.process_iter(["cmdline"]):
        words = process.info["cmdline"] or []
        if module in words and str(queue.folder) in words:
            found.append(process)
    return found


def workers(queue: Queue) -> list[psutil.Process]:
    return of_queue("trainer.launch.queue.worker", queue)


def beside_jobs(queue: Queue) -> list[psutil.Process]:
    return of_queue("trainer.launch.queue.job_process", queue)


def has_told_its_end(job: Job) -> bool:
    """Whether its run had ended by itself when it was killed: a killed process tells nothing any more."""
    with suppress(RecordError):
        return StatusRecord.read(job.spec.run_dir).state in ("finished", "failed")
    return False


def wait_for(look: Callable[[], object], what: str) -> None:
    deadline = time.monotonic() + PATIENCE
    while not look():
        assert time.monotonic() < deadline, f"waited {PATIENCE:.0f} s for {what}"
        time.sleep(0.05)


def have_ended(queue: Queue) -> bool:
    return all(job.has_ended for job in queue.jobs())


def overlap(jobs: Sequence[Job]) -> list[tuple[int, int]]:
    """The jobs that were in one slot at once."""
    ordered = sorted((job for job in jobs if job.began is not None), key=lambda job: (job.slot, job.began))
    return [(a.id, b.id) for a, b in pairwise(ordered) if a.slot == b.slot and (b.began or 0) < (a.ended or 0)]


def most_at_once(jobs: Sequence[Job]) -> int:
    """The most jobs that were in slots together."""
    held = [job for job in jobs if job.began is not None and job.ended is not None]
    return max(sum(other.began <= job.began < other.ended for other in held) for job in held)


def kill_beside(process: psutil.Process, orphaned: Counter[int]) -> None:
    """Kill the process beside a job, unless that was so often that the job, never taken up, would be given up."""
    with suppress(psutil.NoSuchProcess):  # it has just ended by itself
        words = process.cmdline()  # none of one that has ended and is not yet waited for
        number = int(words[-2]) if words else 0
        if words and orphaned[number] < MOST_IN_VAIN - 1:
            orphaned[number] += 1
            process.kill()


def test_twenty_jobs_over_two_slots_are_accounted_for_whatever_is_killed(queue: Queue, tmp_path: Path) -> None:
    chance = random.Random(28)
    endings = [chance.choice(["ends", "ends", "raises", "fails"]) for _ in range(20)]
    specs = [writer(tmp_path / f"run-{n}", chance.randint(2, 8), ending) for n, ending in enumerate(endings)]
    lines = b"\n".join(spec.to_json() for spec in specs)
    submitter = subprocess.run([sys.executable, "-c", SUBMITTER, str(queue.folder)], input=lines, check=False)
    assert submitter.returncode == -signal.SIGKILL

    killed, late, orphaned = set[int](), set[int](), Counter[int]()
    deadline = time.monotonic() + 3 * PATIENCE
    while not have_ended(queue):
        assert time.monotonic() < deadline, [(job.id, job.state, job.detail) for job in queue.jobs()]
        running = [job for job in queue.jobs() if job.holds_slot and job.process is not None and job.process.is_alive]
        dice = chance.random()
        if dice < 0.1:
            for process in workers(queue):
                process.kill()
        elif running and (dice < 0.15 or not killed):  # one at least, however soon the jobs end
            victim = chance.choice(running)
            assert victim.process is not None
            os.kill(victim.process.pid, signal.SIGKILL)
            (late if has_told_its_end(victim) else killed).add(victim.id)
        elif (dice < 0.2 or not orphaned) and (beside := beside_jobs(queue)):
            kill_beside(chance.choice(beside), orphaned)
        if not workers(queue):  # nor one that starts
            ensure_worker(queue)  # as the next one to look at the queue does
        time.sleep(0.1)

    jobs = sorted(queue.jobs(), key=lambda job: job.id)
    assert len(jobs) == 20
    assert (most_at_once(jobs), overlap(jobs)) == (2, [])
    assert killed
    assert orphaned
    for job, ending in zip(jobs, endings, strict=True):
        expected = {"ends": State.FINISHED, "raises": State.FAILED, "fails": State.FAILED}[ending]
        if job.id in killed - late and job.id not in orphaned:
            assert (job.state, job.detail) == (State.KILLED, "ended by SIGKILL")
        elif job.id not in killed | late | orphaned.keys():
            assert (job.state, job.exit_code) == (expected, 0 if ending == "ends" else 1)
            assert StatusRecord.read(job.spec.run_dir).state == ("failed" if ending == "raises" else "finished")
        assert job.attempts == 1
        assert not job.process.is_alive


def test_after_a_reboot_what_ran_is_told_as_lost_and_what_waited_runs(queue: Queue, tmp_path: Path) -> None:
    submit([writer(tmp_path / f"run-{n}", 600 if n < 2 else 2, "ends") for n in range(3)], queue)
    wait_for(lambda: all((tmp_path / f"run-{n}" / "status.json").exists() for n in range(2)), "two jobs to run")
    of_the_queue = [*workers(queue), *beside_jobs(queue)]
    for process in of_the_queue:
        process.kill()
    psutil.wait_procs(of_the_queue, timeout=PATIENCE)  # until then a worker holds the queue's lock
    (first, second) = [job for job in queue.jobs() if job.holds_slot]
    os.killpg(first.process.pid, signal.SIGKILL)
    with sqlite3.connect(queue.place) as database:
        # The second lives still, as another process may under the same number: of the last boot it cannot be.
        for job in (first, second):
            process = json.dumps({**json.loads(json.dumps(job_process(job))), "boot_id": "the-boot-before"})
            database.execute("UPDATE jobs SET process = ? WHERE id = ?", (process.encode(), job.id))
    ensure_worker(queue)
    wait_for(lambda: have_ended(queue), "the jobs to be accounted for")
    os.killpg(second.process.pid, signal.SIGKILL)
    by_number = {job.id: job for job in queue.jobs()}
    lost = "the machine was restarted while it ran"
    assert [(by_number[job.id].state, by_number[job.id].detail) for job in (first, second)] == [
        (State.FAILED, lost)
    ] * 2
    assert by_number[3].state is State.FINISHED


def job_process(job: Job) -> dict[str, object]:
    process = job.process
    return {"host": process.host, "boot_id": process.boot_id, "pid": process.pid, "started": process.started}


@pytest.mark.parametrize(
    ("end", "state", "detail"),
    [
        (kill, State.KILLED, "killed as asked"),
        (ask_to_stop, State.KILLED, "ended by SIGTERM as asked, before it could end by itself"),
    ],
)
def test_a_script_ends_with_all_that_it_started(
    end: Callable[[Queue, int], Job], state: State, detail: str, queue: Queue, tmp_path: Path
) -> None:
    (job,) = submit([command_spec((sys.executable, "-c", PARENT, str(tmp_path / "pid")), tmp_path)], queue)
    wait_for(lambda: (tmp_path / "pid").exists() and (tmp_path / "pid").read_text().endswith("\n"), "its child")
    child = psutil.Process(int((tmp_path / "pid").read_text()))
    assert end(queue, job.id).state in (State.STOPPING, State.KILLED)
    wait_for(lambda: have_ended(queue), "the job to end")
    assert (queue.job(job.id).state, queue.job(job.id).detail) == (state, detail)
    wait_for(lambda: not child.is_running() or child.status() == psutil.STATUS_ZOMBIE, "its child to end")


def test_a_job_whose_cluster_is_gone_can_be_killed_all_the_same(
    queue: Queue, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    handle = Handle("ray", "rlvitals-1", "http://127.0.0.1:1", "rlvitals-1")
    made_job_folder(tmp_path / "a")
    new_record(handle, tmp_path / "a", ["sleep", "60"], {}).save()
    sleeps = command_spec((sys.executable, "-c", "import time; time.sleep(60)"), tmp_path, run_dir=tmp_path / "a")
    (job,) = submit([replace(sleeps, executor="ray", asks="")], queue)
    wait_for(lambda: queue.job(job.id).state is State.RUNNING, "the job to begin")
    with pytest.raises(LaunchError, match="is no longer followed, but may go on on its cluster: the Ray cluster at"):
        kill(queue, job.id)
    wait_for(lambda: have_ended(queue), "the job to end")
    assert (queue.job(job.id).state, queue.job(job.id).slot) == (State.KILLED, f"ray-{job.id}")


def test_a_queue_that_was_altered_is_a_sentence(queue: Queue, tmp_path: Path) -> None:
    queue.add([writer(tmp_path / "a", 1, "ends")])
    with sqlite3.connect(queue.place) as database:
        database.execute("UPDATE jobs SET spec = ?", (b'{"name": 1}',))
    with pytest.raises(LaunchError, match=r"job 1 of the queue cannot be read .* move it away for a new one"):
        queue.jobs()
    with sqlite3.connect(queue.place) as database:
        database.execute("DELETE FROM jobs")


def test_a_worker_ends_when_there_is_nothing_left_to_do(queue: Queue, tmp_path: Path) -> None:
    submit([writer(tmp_path / "a", 1, "ends")], queue)
    wait_for(lambda: have_ended(queue), "the job to end")
    assert is_worked_on(queue)
    wait_for(lambda: not is_worked_on(queue), "the worker to end")
