"""Trainings as jobs: submits one to an executor, stops it there, and says where it stands. Imports no torch."""

import itertools
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from diagnostics.runlog import ENDED_STATES, RUN_FILE, RecordError, StatusRecord
from trainer.config.options import ConfigError
from trainer.launch.arguments import RUNS_FOLDER, Plan, read_plan, separate
from trainer.launch.consent import FLAGS, Consent
from trainer.launch.error import LaunchError
from trainer.launch.executors import EXECUTORS, Executor, Handle, JobState, JobStatus, Resources, Task
from trainer.launch.executors.job_records import JobRecord, job_folder, job_of, jobs_below, made_job_folder, new_record
from trainer.launch.executors.resources import RESOURCE_HELP

EXECUTOR = "executor"
LOCAL = "local"
_REPLACED = frozenset({"run_dir", "num_processes", *FLAGS})
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
        if name not in EXECUTORS:
            raise ConfigError(f"--{EXECUTOR} must be one of {', '.join(EXECUTORS)}, not {name!r}")
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

    @property
    def has_begun(self) -> bool:
        """Whether its run is there, and says for itself how it is."""
        return (self.record.run_dir / RUN_FILE).exists()

    def to_dict(self) -> dict[str, Any]:
        """As a JSON object of plain values."""
        record = self.record
        return {
            "run_dir": str(record.run_dir),
            "executor": record.handle.executor,
            "job_id": record.handle.job_id,
            "cluster": record.handle.cluster,
            "submitted": record.submitted,
            "state": self.status.state.value,
            "reason": self.status.reason,
            "problem": self.problem,
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
    resources = placement.resources.placed(plan.config.num_processes)
    run_dir = _free_folder(plan) if plan.directory is None else plan.directory.expanduser().resolve()
    _check_free(run_dir, is_resumed=plan.resumed_step is not None)
    _, kept = separate(words, _REPLACED)
    own = [] if plan.resumed_step is not None else ["--run_dir", str(run_dir)]
    if resources.processes > 1 and plan.resumed_step is None:
        own += ["--num_processes", str(resources.processes)]
        read_plan([*kept, *own])  # so that what does not divide by them is refused here and now
    command = _trainer(_START, *kept, *own, _ONLY_TRUSTED)
    again = _trainer(_START, "--resume", str(run_dir), _ONLY_TRUSTED)
    task = Task(command, run_dir.name, again, run_dir / RUN_FILE)
    handle = executor.start(task, made_job_folder(run_dir), resources)
    record = new_record(handle, run_dir, command, resources.to_dict())
    record.save()
    return record


def stop_job(run_dir: Path) -> str | None:
    """Stop a run through the executor that runs it; None if no job of this user's trains into the folder now.

    Raises:
        LaunchError: The executor cannot be asked.
    """
    record = job_of(run_dir)
    if record is None:
        return None
    executor = _executor(record.handle)
    status = executor.state(record.handle)
    if not status.is_live or _has_ended(run_dir):
        return None
    executor.stop(record.handle, job_folder(run_dir))
    named = job_title(record.handle)
    if status.state is JobState.QUEUED:
        return f"{run_dir}: {named} was taken back before it began"
    return f"{run_dir} finishes its step, saves a checkpoint and ends ({named})"


def kill_job(run_dir: Path) -> str | None:
    """End the job of a run at once, without a checkpoint; as `stop_job` otherwise."""
    record = job_of(run_dir)
    if record is None or not _executor(record.handle).state(record.handle).is_live:
        return None
    _executor(record.handle).kill(record.handle)
    return f"{run_dir}: {job_title(record.handle)} was ended at once"


def reports_below(paths: Iterable[Path]) -> Iterator[JobReport]:
    """The jobs that train into these folders or below them, with their states now."""
    for path in paths:
        yield from map(report_of, jobs_below(path))


def report_of(record: JobRecord) -> JobReport:
    """A job with its state now."""
    try:
        return JobReport(record, _executor(record.handle).state(record.handle))
    except LaunchError as error:
        return JobReport(record, JobStatus(JobState.UNKNOWN), str(error))


def console_of(record: JobRecord, most: int) -> bytes:
    """The last bytes that a job printed, also where its training never began."""
    return _executor(record.handle).console(job_folder(record.run_dir), most)


def job_title(handle: Handle) -> str:
    """A job as its user knows it: "Slurm job 12"."""
    return f"{handle.executor.capitalize()} job {handle.job_id}"


def _executor(handle: Handle) -> Executor:
    if handle.executor not in EXECUTORS:
        raise LaunchError(f"there is no executor {handle.executor!r}; this rlvitals has {', '.join(EXECUTORS)}")
    return EXECUTORS[handle.executor]()


def _check_free(run_dir: Path, is_resumed: bool) -> None:
    if not is_resumed and (run_dir / RUN_FILE).exists():
        raise LaunchError(f"{run_dir} already holds a run; choose another folder")
    record = job_of(run_dir)
    if record is not None and (report := report_of(record)).status.is_live:
        raise LaunchError(
            f"{job_title(record.handle)} is {report.status.state} and trains into {run_dir}; stop it first"
        )


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


def _has_ended(run_dir: Path) -> bool:
    try:
        return StatusRecord.read(run_dir).state in ENDED_STATES
    except RecordError:
        return False


def _trainer(*words: str) -> list[str]:
    return [sys.executable, "-P", "-m", "trainer.main", *words]
