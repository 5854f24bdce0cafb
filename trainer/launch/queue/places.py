"""Where a job's console and its run lie, and what is executed at its next attempt."""

from pathlib import Path

from diagnostics.foreign_files import read_end
from diagnostics.runlog import BESIDE_OUTPUTS, CONSOLE_FILE, RUN_FILE, RecordError, StatusRecord
from trainer.launch.queue.job import Job, Spec
from trainer.launch.queue.store import Queue

_CONSOLES = "consoles"
_LAST_BYTES = 1 << 16  # of a console log: its last lines


def console_of(queue: Queue, job: Job) -> Path:
    """What the job prints: in its run for the bundled trainer, else beside the queue, as on a cluster."""
    if job.spec.is_training and not job.spec.executor and job.spec.run_dir is not None:
        return job.spec.run_dir / CONSOLE_FILE
    return queue.folder / _CONSOLES / f"{job.id}.log"


def remove_old_consoles(queue: Queue) -> None:
    """Remove what jobs printed that the queue has forgotten."""
    known = {f"{job.id}.log" for job in queue.jobs()}
    for path in (queue.folder / _CONSOLES).glob("*.log"):
        if path.name not in known:
            path.unlink(missing_ok=True)


def run_of(job: Job) -> Path | None:
    """The folder of the job's run log, or of its logs; None where neither is there."""
    folder = job.spec.run_dir
    if folder is None or not folder.exists():
        return None
    if not (folder / RUN_FILE).exists() and (folder / BESIDE_OUTPUTS / RUN_FILE).exists():
        return folder / BESIDE_OUTPUTS
    return folder


def status_of(job: Job) -> StatusRecord | None:
    """What the run of this very attempt says of itself; None where it says nothing."""
    folder = run_of(job)
    try:
        status = StatusRecord.read(folder) if folder else None
    except RecordError:
        return None
    is_of_attempt = status is not None and (status.heartbeat or 0.0) >= (job.began or 0.0)
    return status if is_of_attempt else None


def last_line(console: Path) -> str:
    """The last line that was printed; empty where there is none."""
    try:
        lines = read_end(console, _LAST_BYTES).decode("utf-8", "replace").split("\n")
    except OSError:
        return ""
    said = [line.rpartition("\r")[2].strip() for line in lines]
    return next((line for line in reversed(said) if line), "").removeprefix("rlvitals: ")


def current_argv(job: Job) -> tuple[str, ...]:
    """The command of the next attempt: a run of the bundled trainer that had begun goes on where it was saved."""
    spec = job.spec
    if spec.is_training and spec.run_dir is not None and (spec.run_dir / RUN_FILE).exists():
        interpreter = spec.argv[: spec.argv.index("train")]
        return (*interpreter, "train", "--resume", str(spec.run_dir), spec.argv[-1])
    return spec.argv


def remove_leftovers(spec: Spec) -> None:
    """Remove the folder of a run that never began: what was made for it, but no files of others."""
    folder, is_ours = spec.run_dir, spec.is_training or spec.recipe
    if is_ours and folder is not None and folder.is_dir() and not (folder / RUN_FILE).exists():
        if spec.is_training:
            (folder / CONSOLE_FILE).unlink(missing_ok=True)
        if not any(folder.iterdir()):
            folder.rmdir()
