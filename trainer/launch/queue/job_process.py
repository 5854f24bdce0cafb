"""The process beside a job: it takes the job up, starts its command, waits for it and notes how it ended.

python -P -m trainer.launch.queue.job_process FOLDER NUMBER SLOT

Whatever is killed when, each job is accounted for. The command waits before it is executed until the queue holds its
process: where this process dies before, the job is still queued, and the command never runs. Where it dies later, the
command goes on, and whoever works on the queue next looks after it.
"""

import os
import sys
from pathlib import Path

from diagnostics.runlog.process import ProcessIdentity
from trainer.launch.queue.ending import how_it_ended
from trainer.launch.queue.job import Job
from trainer.launch.queue.places import console_of, current_argv
from trainer.launch.queue.slots import variables_of
from trainer.launch.queue.store import Queue

_GO = b"g"
_CANNOT_EXECUTE = 127


def main(words: list[str]) -> int:
    """Run one job in one slot; 0 unless it is another's already."""
    queue, number, slot = Queue(Path(words[0])), int(words[1]), words[2]
    job = queue.job(number)
    reads, writes = os.pipe()
    command = os.fork()
    if command == 0:
        os.close(writes)
        _become(job, console_of(queue, job), slot, reads)
    os.close(reads)
    is_ours = queue.claim(number, slot, ProcessIdentity.of(command))
    if is_ours:
        os.write(writes, _GO)
    os.close(writes)
    _, status = os.waitpid(command, 0)
    if is_ours:
        _note_end(queue, number, os.waitstatus_to_exitcode(status))
    return 0 if is_ours else 1


def _note_end(queue: Queue, number: int, exit_code: int) -> None:
    job = queue.job(number)
    queue.end(job, *how_it_ended(queue, job, exit_code), exit_code)


def _become(job: Job, console: Path, slot: str, go: int) -> None:
    """In the new process: wait for the word, then become the command, as the first process of a session of its own."""
    try:
        os.setsid()
        is_wanted = os.read(go, 1) == _GO
        os.close(go)
        if is_wanted:
            _connect(console)
            argv = current_argv(job)
            os.chdir(job.spec.cwd)
            os.execvpe(argv[0], argv, {**os.environ, **job.spec.environment, **variables_of(slot)})
    except OSError as error:
        sys.stderr.write(f"rlvitals: {job.spec.argv[0]} cannot be run in {job.spec.cwd}: {error.strerror}\n")
        sys.stderr.flush()
    finally:
        os._exit(_CANNOT_EXECUTE)


def _connect(console: Path) -> None:
    """Read nothing, and write what is printed to the console log."""
    console.parent.mkdir(parents=True, exist_ok=True)
    nothing = os.open(os.devnull, os.O_RDONLY)
    output = os.open(console, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o644)
    os.dup2(nothing, 0)
    os.dup2(output, 1)
    os.dup2(output, 2)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
