"""What a running job uses: processor time and memory, of its process and all that it started."""

from dataclasses import dataclass

from trainer.launch.queue.job import Job


@dataclass(frozen=True, slots=True)
class Resources:
    """Of all processes that live now; processor time also of those that the living ones have waited for."""

    cpu_seconds: float
    memory_bytes: int


def resources_of(job: Job) -> Resources | None:
    """None unless the job's own process lives here."""
    if job.process is None or not job.holds_slot or not job.process.is_alive:
        return None
    import psutil  # noqa: PLC0415 - slow to import, and a queue without running jobs needs none

    try:
        first = psutil.Process(job.process.pid)
        processes = [first, *first.children(recursive=True)]
    except psutil.Error:
        return None
    seconds, memory = 0.0, 0
    for process in processes:
        try:
            times = process.cpu_times()
            seconds += times.user + times.system + times.children_user + times.children_system
            memory += process.memory_info().rss
        except psutil.Error:  # it ended meanwhile
            continue
    return Resources(seconds, memory)
