"""A job of a cluster in a sentence, where its run does not say the same by itself."""

from collections.abc import Mapping
from typing import Any

from diagnostics.language import _
from diagnostics.punctuation import with_remark
from diagnostics.visible_text import one_line

_LONGEST_REMARK = 300  # characters of what a job printed


def job_sentence(job: Mapping[str, Any]) -> str:
    """What is to be said of a job: that it waits, that its training has yet to begin, or that it ended without one."""
    names = {"path": job["run_dir"], "job": job["title"], "folder": job["folder"]}
    if job["problem"]:
        return one_line(_("{path}: {job} cannot be asked about: {problem}").format(problem=job["problem"], **names))
    sentence = _of_begun(job["state"]) if job["has_begun"] else _of_waiting(job["state"])
    remark = job["last_words"][:_LONGEST_REMARK] or job["reason"]
    return one_line(with_remark(sentence.format(**names), remark)) if sentence else ""


def _of_waiting(state: str) -> str:
    match state:
        case "queued":
            return _("{path}: {job} is queued")
        case "running":
            return _("{path}: {job} is running, and its training is about to begin")
        case "unknown":
            return _("{path}: the cluster no longer knows {job}, and its training has not begun")
    return _("{path}: {job} ended before its training began; what it printed lies in {folder}")


def _of_begun(state: str) -> str:
    match state:
        case "queued":
            return _("{path}: {job} is queued, and the training goes on with it")
        case "running" | "unknown":  # its own log tells more
            return ""
    return _("{path}: {job} ended in the middle of the training; it goes on with: rlvitals train --resume {path}")
