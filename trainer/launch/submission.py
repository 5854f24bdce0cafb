"""Trainings as jobs: submits one to an executor, stops it there, and says where it stands. Imports no torch."""

import itertools
import sys
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from diagnostics.runlog import ENDED_STATES, RUN_FILE, RecordError, StatusRecord
from trainer.config.options import ConfigError
from trainer.launch import stopping
from trainer.launch.arguments import RUNS_FOLDER, Plan, read_plan, separate
from trainer.launch.consent import FLAGS, Consent
from trainer.launch.error import LaunchError
from trainer.launch.executors import EXECUTORS, Executor, JobState, JobStatus, Resources, Task
from trainer.launch.executors.job_records import JobRecord, job_folder, job_of, jobs_below, made_job_folder, new_record
from trainer.launch.executors.resources import RESOURCE_HELP

EXECUTOR = "executor"
LOCAL = "local"
_REPLACED = frozenset({"run_dir", "num_processes", *FLAGS})
_LAST_BYTES = 1 << 16
_SPOKEN = "rlvitals: "
_START, _ONLY_TRUSTED = "train", f"--{Consent.WITHHELD}"


@dataclass(frozen=True, slots=True)
class Placement:
    """Where a training is to run, and what of."""

    executor: str
    resources: Resources

    @classmethod
    def taken_from(cls, words: Sequence[str]) -> tuple["Placement", list[str]]:
        """What these arguments of `train` say of an executor, and the arguments without it.

        Raises:
            ConfigError: There is no such executor, a resource is none, or a resource is named for this very process.
        """
        given, rest = separate(words, {EXECUTOR, *RESOURCE_HELP})
        name = given.pop(EXECUTOR, LOCAL)
        if name not in {LOCAL, *EXECUTORS}:
            raise ConfigError(f"--{EXECUTOR} must be one of {', '.join((LOCAL, *EXECUTORS))}, not {name!r}")
        if name == LOCAL and given:
            raise ConfigError(
                f"--{min(given)} asks for a cluster's resources; name the cluster with --{EXECUTOR} slurm"
            )
        return cls(name, Resources.parse(given)), rest


@dataclass(frozen=True, slots=True)
class JobReport:
    """A job with the state that its executor tells, or the sentence that says why it cannot."""

    record: JobRecord
    status: JobStatus
    problem: str = ""
    last_words: str = ""
    """The last line that it printed, of a job that ended before its training began."""

    @property
    def has_begun(self) -> bool:
        """Whether its run is there, and says for itself how it is."""
        return (self.record.run_dir / RUN_FILE).exists()

    def to_dict(self) -> dict[str, Any]:
        """As a JSON object of plain values."""
        record = self.record
        return {
            "run_dir": str(record.run_dir),
            "title": record.handle.title,
            "folder": str(job_folder(record.run_dir)),
            "executor": record.handle.executor,
            "job_id": record.handle.job_id,
            "cluster": record.handle.cluster,
            "submitted": record.submitted,
            "state": self.status.state.value,
            "reason": self.status.reason,
            "problem": self.problem,
            "last_words": self.last_words,
            "has_begun": self.has_begun,
        }


def submit(plan: Plan, words: Sequence[str], placement: Placement) -> JobRecord:
    """Submit a training as a job; returns as soon as the executor has taken it.

    Args:
        plan: What `words`, the arguments after `train`, describe.

    Raises:
        ConfigError: The processes cannot be placed so.
        LaunchError: The folder holds a run, a job trains into it already, or the executor does not take the job.
    """
    executor = EXECUTORS[placement.executor]()
    if lack := executor.missing():
        raise LaunchError(lack)
    run_dir = _free_folder(plan) if plan.directory is None else _given_folder(plan.directory)
    _check_free(run_dir, is_resumed=plan.resumed_step is not None)
    task, resources = cluster_task(plan, words, run_dir, placement.resources)
    try:
        handle = executor.start(task, made_job_folder(run_dir), resources)
    except LaunchError:
        _remove_if_empty(run_dir)
        raise
    record = new_record(handle, run_dir, task.command, resources.to_dict())
    record.save()
    return record


def cluster_task(plan: Plan, words: Sequence[str], run_dir: Path, wanted: Resources) -> tuple[Task, Resources]:
    """What an executor starts for a training into this folder, and what that asks for, process by process.

    Raises:
        ConfigError: The processes cannot be placed so.
    """
    resources = wanted.placed(plan.config.num_processes)
    _, kept = separate(words, _REPLACED)
    own = [] if plan.resumed_step is not None else ["--run_dir", str(run_dir)]
    if resources.processes > 1 and plan.resumed_step is None:
        own += ["--num_processes", str(resources.processes)]
        read_plan([*kept, *own])  # so that what does not divide by them is refused here and now
    command = _trainer(_START, *kept, *own, _ONLY_TRUSTED)
    again = _trainer(_START, "--resume", str(run_dir), _ONLY_TRUSTED)
    return Task(command, run_dir.name, again, run_dir / RUN_FILE), resources


def plan_of(words: Sequence[str]) -> Plan:
    """What the arguments of `train` describe, wherever it is to run.

    Raises:
        ConfigError: They describe no training, or no place for one.
        LaunchError: This machine cannot talk to the cluster that they name.
    """
    placement, own = Placement.taken_from(words)
    if placement.executor != LOCAL and (lack := EXECUTORS[placement.executor].missing()):
        raise LaunchError(lack)
    return read_plan(own)


def stop(run_dir: Path) -> str:
    """Ask a training to finish its step, save a checkpoint and end. Returns at once, with what happens next.

    Raises:
        LaunchError: Its executor cannot be asked or, for one without an executor, as of `stopping.stop`.
    """
    try:
        told = stop_job(run_dir)
    except LaunchError:
        if not _lives_here(run_dir):
            raise
        told = None
    return told or stopping.stop(run_dir)


def is_job(run_dir: Path) -> bool:
    """Whether a job trains into this folder, as far as can be told without asking its executor."""
    try:
        record = job_of(run_dir)
    except LaunchError:
        return False
    return record is not None and not _has_ended_since(record)


def stop_job(run_dir: Path) -> str | None:
    """Stop a run through the executor that runs it; None if no job of this user's trains into the folder now.

    Raises:
        LaunchError: The executor cannot be asked.
    """
    record = job_of(run_dir)
    if record is None or _has_ended_since(record):
        return None
    executor = _executor(record.handle.executor)
    (status,) = executor.states([record.handle])
    if not status.is_live:
        return None
    executor.stop(record.handle, job_folder(run_dir))
    if status.state is JobState.QUEUED:
        _remove_if_empty(record.run_dir)
        return f"{run_dir}: {record.handle.title} was taken back before it began"
    return f"{run_dir} finishes its step, saves a checkpoint and ends ({record.handle.title})"


def reports_below(paths: Iterable[Path]) -> list[JobReport]:
    """The jobs that train into these folders or below them and are not over for good, with their states now."""
    records = [record for path in paths for record in jobs_below(path)]
    asked: dict[tuple[str, str], list[JobRecord]] = {}
    for record in records:
        if record.run_dir.is_dir() and not _has_ended_since(record):
            asked.setdefault((record.handle.executor, record.handle.cluster), []).append(record)
    return [report for (executor, _), together in asked.items() for report in _reports(executor, together)]


def _reports(executor: str, records: Sequence[JobRecord]) -> list[JobReport]:
    try:
        states = _executor(executor).states([record.handle for record in records])
    except LaunchError as error:
        return [JobReport(record, JobStatus(JobState.UNKNOWN), str(error)) for record in records]
    return [
        JobReport(record, status, last_words=_last_words(record, status))
        for record, status in zip(records, states, strict=True)
    ]


def _last_words(record: JobRecord, status: JobStatus) -> str:
    """What a job that ended before its training began said last: the trainer's own sentence, else the last line."""
    if status.is_live or (record.run_dir / RUN_FILE).exists():
        return ""
    printed = _executor(record.handle.executor).console(job_folder(record.run_dir), _LAST_BYTES)
    lines = [line.strip() for line in printed.decode("utf-8", "replace").split("\n") if line.strip()]
    own = [line for line in lines if line.startswith(_SPOKEN)]  # srun adds that the process ended
    return (own or lines or [""])[-1].removeprefix(_SPOKEN)


def _executor(name: str) -> Executor:
    if name not in EXECUTORS:
        raise LaunchError(f"there is no executor {name!r}; this rlvitals has {', '.join(EXECUTORS)}")
    return EXECUTORS[name]()


def _check_free(run_dir: Path, is_resumed: bool) -> None:
    if not is_resumed and (run_dir / RUN_FILE).exists():
        raise LaunchError(f"{run_dir} already holds a run; choose another folder")
    record = job_of(run_dir)
    if record is None:
        return
    (status,) = _executor(record.handle.executor).states([record.handle])
    if status.is_live:
        raise LaunchError(f"{record.handle.title} is {status.state} and trains into {run_dir}; stop it first")


def _free_folder(plan: Plan) -> Path:
    """The first free folder below runs/, made now: another job may be submitted before this one begins."""
    for number in itertools.count(1):
        folder = RUNS_FOLDER / f"{plan.algorithm}-{plan.config.data_name}-{number}"
        try:
            folder.mkdir(parents=True)
        except FileExistsError:
            continue
        except OSError as error:
            raise LaunchError(f"cannot create {folder}: {error.strerror}; choose another with --run_dir") from error
        return folder.resolve()
    raise AssertionError("unreachable")


def _given_folder(directory: Path) -> Path:
    try:
        directory.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise LaunchError(f"cannot create {directory}: {error.strerror}; choose another with --run_dir") from error
    return directory.resolve()


def _has_ended_since(record: JobRecord) -> bool:
    """Whether the run says that it has ended, and has said so after this job was submitted."""
    try:
        status = StatusRecord.read(record.run_dir)
    except RecordError:
        return False
    return status.state in ENDED_STATES and (status.heartbeat or 0.0) > record.submitted


def _lives_here(run_dir: Path) -> bool:
    """Whether a process of this machine writes the run, so that no cluster need be asked."""
    try:
        process = StatusRecord.read(run_dir).process
    except RecordError:
        return False
    return process is not None and process.is_alive


def _remove_if_empty(run_dir: Path) -> None:
    with suppress(OSError):  # it holds something, or a run by now
        run_dir.rmdir()


def _trainer(*words: str) -> list[str]:
    return [sys.executable, "-P", "-m", "trainer.main", *words]
