"""Jobs of the queue in words, from what the queue says of each."""

from collections.abc import Mapping
from typing import Any

from diagnostics.language import N_, _
from diagnostics.visible_text import one_line
from diagnostics.wording.times import age, duration

STATES = {
    "queued": N_("queued"),
    "running": N_("running"),
    "stopping": N_("stopping"),
    "finished": N_("finished"),
    "failed": N_("failed"),
    "killed": N_("killed"),
}
_MIB, _GIB = 2**20, 2**30

Job = Mapping[str, Any]


def state_of_job(job: Job) -> str:
    """Its state: "running", "queued, 2 before it"."""
    english = STATES[job["state"]]
    word = _(english)
    return _("{state}, {count} before it").format(state=word, count=job["before"]) if job["before"] else word


def since(job: Job, now: float) -> str:
    """For how long it has been waiting, or running, or how long ago it ended."""
    if job["state"] == "queued":
        return _("waiting for {time}").format(time=duration(now - job["created"]))
    if job["ended"] is not None:
        return age(job["ended"], now)
    return _("for {time}").format(time=duration(now - job["began"]))


def used(job: Job) -> str:
    """Processor time and memory of one that runs: "3 min CPU, 412 MiB"; empty for others."""
    if job["cpu_seconds"] is None:
        return ""
    size = memory(job["memory_bytes"])
    return _("{time} CPU, {memory}").format(time=duration(job["cpu_seconds"]), memory=size)


def memory(size: int) -> str:
    """A size in memory: "412 MiB", "1.3 GiB"."""
    return f"{size / _GIB:.1f} GiB" if size >= _GIB else f"{size / _MIB:.0f} MiB"


def remark(job: Job) -> str:
    """How it ended, and how often it was tried."""
    tries = _("attempt {number}").format(number=job["attempts"]) if job["attempts"] > 1 else ""
    return ", ".join(filter(None, (tries, one_line(job["detail"]))))
