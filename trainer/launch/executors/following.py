"""A job on a cluster as a process of this machine, so that the queue can run it as any other command.

python -P -m trainer.launch.executors.following EXECUTOR ASKED RUN_DIR COMMAND …

It submits the command, or goes on with the job that trains into the folder already; passes on what the job prints;
hands a stop on to it; and ends as it does. ASKED is a JSON object: the `resources` that the job asks for, the
`environment` that it must see, and how it goes on where it is started `again`. Where this process is killed the job
goes on.
"""

import json
import signal
import sys
import threading
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from diagnostics.runlog import RecordError, StatusRecord
from diagnostics.visible_text import visible
from trainer.config.options import ConfigError
from trainer.launch.error import LaunchError
from trainer.launch.executors import EXECUTORS
from trainer.launch.executors.executor import Executor, ExecutorError, JobState, JobStatus, Task
from trainer.launch.executors.job_records import JobRecord, job_folder, job_of, made_job_folder, new_record
from trainer.launch.executors.resources import Resources

LOOK_SECONDS, _LONGEST_SECONDS = 3.0, 60.0  # between two looks, and between two at a cluster that does not answer
_BAD_INPUT, _FAILED = 2, 1


class Following:
    """One job, from the submission to its end."""

    def __init__(self, executor: Executor, record: JobRecord) -> None:
        self._executor, self._record = executor, record
        self._folder = job_folder(record.run_dir)
        self._printed = 0
        self._is_to_stop = threading.Event()
        self._has_asked = False
        self._silences = 0  # looks in a row that the cluster did not answer
        self._said = ""

    def ask_to_stop(self, *_signal: object) -> None:
        """Have the job asked to end at the next look, which is at once."""
        self._is_to_stop.set()

    def to_its_end(self) -> int:
        """The exit code that tells how the job ended."""
        while True:
            status, sentence = self._look()
            has_more = self._passes_on()
            self._say(sentence)
            if status is not None and not status.is_live:
                while has_more:
                    has_more = self._passes_on()
                return self._ended(status)
            if self._is_to_stop.is_set():
                self._stop()
                time.sleep(pause_after(self._silences))
            else:
                self._is_to_stop.wait(pause_after(self._silences))

    def _look(self) -> tuple[JobStatus | None, str]:
        """Where the job is, and in words; None where the cluster does not tell now, which is no end."""
        try:
            (status,) = self._executor.states([self._record.handle])
        except ExecutorError as error:
            self._silences += 1
            return None, str(error)
        self._silences = 0
        return status, f"{self._record.handle.title} is {status.state}{f' ({status.reason})' if status.reason else ''}"

    def _stop(self) -> None:
        """Ask the job to end: once, but again after each time that the cluster did not take it."""
        if self._has_asked:
            return
        try:
            self._executor.stop(self._record.handle, self._folder)
        except ExecutorError as error:
            self._say(str(error))
        else:
            self._has_asked = True

    def _passes_on(self) -> bool:
        """Print what the job has printed since; False where there is nothing new."""
        new = self._executor.printed(self._record.handle, self._folder, self._printed)
        self._printed += len(new)
        sys.stdout.buffer.write(new)
        sys.stdout.flush()
        return bool(new)

    def _ended(self, status: JobStatus) -> int:
        was_asked = self._has_asked or (self._is_to_stop.is_set() and status.state is JobState.KILLED)
        if was_asked or status.state is JobState.FINISHED:
            return 0
        if status.state is JobState.UNKNOWN:  # the cluster has forgotten it: its run says how it ended
            try:
                return 0 if StatusRecord.read(self._record.run_dir).state in ("finished", "stopped") else _FAILED
            except RecordError:
                return _FAILED
        return _FAILED

    def _say(self, sentence: str) -> None:
        """Each sentence once, as long as nothing else is to be said."""
        if sentence != self._said:
            self._said = sentence
            sys.stdout.write(f"rlvitals: {visible(sentence)}\n")
            sys.stdout.flush()


def pause_after(silences: int) -> float:
    """Seconds to the next look at a job: twice as many with each look in a row that its cluster did not answer."""
    return min(LOOK_SECONDS * 2.0 ** min(silences, 10), _LONGEST_SECONDS)


def follow_command(executor: str, task: Task, resources: Mapping[str, str], run_dir: Path) -> tuple[str, ...]:
    """The command that runs a task on a cluster and follows it, for a process of this machine."""
    asked = {
        "resources": dict(resources),
        "environment": dict(task.environment),
        "again": list(task.again),
        "begun": str(task.begun) if task.begun else None,
    }
    module = (sys.executable, "-P", "-m", "trainer.launch.executors.following")
    return (*module, executor, json.dumps(asked), str(run_dir), *task.command)


def live_record(run_dir: Path) -> JobRecord | None:
    """The job that trains into a folder now, on any executor. Raises LaunchError where it cannot be asked about."""
    record = job_of(run_dir)
    if record is None or record.handle.executor not in EXECUTORS:
        return None
    (status,) = EXECUTORS[record.handle.executor]().states([record.handle])
    return record if status.is_live else None


def kill(run_dir: Path) -> None:
    """End the job that trains into a folder at once, if there is one. Raises LaunchError."""
    if record := live_record(run_dir):
        EXECUTORS[record.handle.executor]().kill(record.handle)


def _submitted(executor: Executor, asked: Mapping[str, Any], run_dir: Path, command: Sequence[str]) -> JobRecord:
    if lack := executor.missing():
        raise ExecutorError(lack)
    resources = Resources.parse(asked["resources"])
    run_dir.mkdir(parents=True, exist_ok=True)
    begun = Path(asked["begun"]) if asked["begun"] else None
    task = Task(command, run_dir.name, asked["again"], begun, asked["environment"])
    handle = executor.start(task, made_job_folder(run_dir), resources)
    record = new_record(handle, run_dir, command, resources.to_dict())
    record.save()
    return record


def main(words: Sequence[str]) -> int:
    """Follow a job to its end: 0 where it finished or was stopped, 1 where it failed, 2 where it was not taken."""
    name, asked, run_dir, command = words[0], json.loads(words[1]), Path(words[2]), words[3:]
    executor = EXECUTORS[name]()
    try:
        record = live_record(run_dir)
        if record is None:
            record = _submitted(executor, asked, run_dir, command)
    except (LaunchError, ConfigError, OSError) as error:
        sys.stderr.write(f"rlvitals: {visible(str(error))}\n")
        return _BAD_INPUT
    following = Following(executor, record)
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, following.ask_to_stop)
    return following.to_its_end()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
