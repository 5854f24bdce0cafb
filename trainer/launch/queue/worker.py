"""Works on the queue: starts jobs where a slot is free, and notes the end of those that nobody else waits for.

python -P -m trainer.launch.queue.worker [FOLDER]

One process does so for a queue, which a file lock sees to. It depends on nobody and nothing depends on it: jobs go on
when it dies, and the next one takes them over. It ends when the queue has been empty for some seconds.
"""

import subprocess
import sys
import threading
import time
from collections.abc import Sequence
from pathlib import Path

from trainer.launch.error import LaunchError
from trainer.launch.queue.ending import how_it_ended
from trainer.launch.queue.file_lock import is_held, lock_if_free
from trainer.launch.queue.job import Job, State
from trainer.launch.queue.places import remove_old_consoles
from trainer.launch.queue.slots import next_starts
from trainer.launch.queue.store import Queue

_LOOK_SECONDS = 0.2
_IDLE_SECONDS = 5.0
_PATIENCE_FOR_LOCK = 1.0  # seconds; who only asks whether it is held lets go at once
_SECONDS_TO_CLAIM = 30.0
_CLAIM_LOOK_SECONDS = 0.02
MOST_IN_VAIN = 3  # starts of one job
_GRACE_SECONDS = 2.0  # in which the process beside a job may note its end, with the exit code


class Worker:
    """Works on one queue until it is empty."""

    def __init__(self, queue: Queue) -> None:
        self._queue = queue
        self._beside: list[subprocess.Popen[bytes]] = []  # the processes beside the jobs that were started here
        self._in_vain: dict[int, int] = {}  # job → how often it could not be started
        self._gone_since: dict[tuple[int, int], float] = {}  # (job, attempt) → when its process was first missing

    def work(self) -> None:
        """Start and account for jobs until there has been nothing to do for some seconds."""
        busy_at = time.monotonic()
        while time.monotonic() - busy_at < _IDLE_SECONDS:
            if self.step():
                busy_at = time.monotonic()
            time.sleep(_LOOK_SECONDS)

    def step(self) -> bool:
        """Look once; whether there is anything to do."""
        jobs = self._queue.jobs()
        running = [job for job in jobs if job.holds_slot]
        queued = [job for job in jobs if job.state is State.QUEUED]
        for job in running:
            self._account_for(job)
        for job, slot in next_starts(queued, self._queue.slots(), {job.slot or "" for job in running}):
            self._start(job, slot)
        self._beside = [process for process in self._beside if process.poll() is None]  # reaps the others
        return bool(running or queued)

    def _start(self, job: Job, slot: str) -> None:
        """Start the process beside a job, and wait until it has taken the job up, so that the slot counts as taken."""
        module = ["-P", "-m", "trainer.launch.queue.job_process"]
        process = subprocess.Popen(
            [sys.executable, *module, str(self._queue.folder), str(job.id), slot],
            stdin=subprocess.DEVNULL,
            start_new_session=True,
        )
        deadline = time.monotonic() + _SECONDS_TO_CLAIM
        while process.poll() is None and not self._is_taken_up(job):
            if time.monotonic() > deadline:
                process.kill()
            time.sleep(_CLAIM_LOOK_SECONDS)
        self._beside.append(process)
        if process.poll() is not None and not self._is_taken_up(job):
            self._in_vain[job.id] = self._in_vain.get(job.id, 0) + 1
        if self._in_vain.get(job.id, 0) >= MOST_IN_VAIN:
            self._queue.give_up(job.id, State.FAILED, "it could not be started; the queue's worker.log says why")

    def _is_taken_up(self, job: Job) -> bool:
        now = self._queue.job(job.id)
        return now.state is not State.QUEUED or now.attempts > job.attempts

    def _account_for(self, job: Job) -> None:
        """Note the end of a job whose process is gone, and that nobody has noted."""
        key = (job.id, job.attempts)
        if job.process is not None and job.process.is_alive:
            self._gone_since.pop(key, None)
        elif time.monotonic() - self._gone_since.setdefault(key, time.monotonic()) >= _GRACE_SECONDS:
            self._queue.end(job, *how_it_ended(self._queue, job, None))


def ensure_worker(queue: Queue) -> None:
    """Start a worker, which outlives this process, unless there is one. Raises LaunchError."""
    try:
        if is_held(_lock_of(queue)):
            return
        with (queue.folder / "worker.log").open("ab") as log:
            process = subprocess.Popen(
                [sys.executable, "-P", "-m", "trainer.launch.queue.worker", str(queue.folder)],
                cwd=queue.folder,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )
    except OSError as error:
        raise LaunchError(f"nothing can work on the queue in {queue.folder}: {error.strerror}") from error
    threading.Thread(target=process.wait, daemon=True).start()  # reaps it


def is_worked_on(queue: Queue) -> bool:
    """Whether a worker lives."""
    return is_held(_lock_of(queue))


def work(queue: Queue) -> bool:
    """Work until the queue is empty; False where another process works on it already."""
    has_worked = False
    while True:
        with lock_if_free(_lock_of(queue), _PATIENCE_FOR_LOCK) as is_ours:
            if not is_ours:
                return has_worked
            Worker(queue).work()
            remove_old_consoles(queue)
            has_worked = True
        # Whoever submits first adds the job and then looks at the lock: what came in just now is seen here, or there.
        if not any(not job.has_ended for job in queue.jobs()):
            return True


def _lock_of(queue: Queue) -> Path:
    return queue.folder / "worker.lock"


def main(words: Sequence[str]) -> int:
    """Work on the queue in the folder that is named, else on the user's; 2 where another process does so."""
    if work(Queue(Path(words[0])) if words else Queue.of_user()):
        return 0
    sys.stderr.write("rlvitals: another process works on this queue already\n")
    return 2


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
