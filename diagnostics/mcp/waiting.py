"""Waiting for a run: until it shows a finding, reaches a step or ends, whichever is asked for, within a time."""

import time
from typing import Literal

import anyio
import anyio.to_thread

from diagnostics.mcp.answers import Document, ToolProblem
from diagnostics.mcp.opening import Library
from diagnostics.mcp.run_tools import status
from diagnostics.model.diagnosis import Diagnosis
from diagnostics.model.outcome import Severity
from diagnostics.wording.status_block import Health, status_block

LONGEST_WAIT = 600  # seconds: clients give up on a call that takes longer
_POLL_SECONDS = 0.5

Until = Literal["severity", "step", "end"]


async def wait_for(
    library: Library, path: str, until: Until, severity: Severity, step: int | None, seconds: float
) -> Document:
    """The status of the run once what was waited for is so, it can no longer become so, or the time is up.

    Raises ToolProblem as opening the run does, and where a step is waited for and none is given.
    """
    if until == "step" and step is None:
        raise ToolProblem("name the step to wait for")
    opened = await anyio.to_thread.run_sync(library.open, path)
    began = time.monotonic()
    deadline = began + min(seconds, LONGEST_WAIT)
    while True:
        diagnosis = await anyio.to_thread.run_sync(opened.diagnosis)
        why = _reached(diagnosis, until, severity, step)
        if not why and time.monotonic() >= deadline:
            why = "timeout"
        if why:
            return _told(diagnosis, why, time.monotonic() - began)
        await anyio.sleep(_POLL_SECONDS)


def _reached(diagnosis: Diagnosis, until: Until, severity: Severity, step: int | None) -> str:
    """What has become so: what was waited for, the end, or that the run is down; empty where nothing has."""
    run = diagnosis.run
    if until == "severity" and any(finding.severity.rank >= severity.rank for finding in diagnosis.findings):
        return "severity"
    if until == "step" and step is not None and (run.last_step or 0) >= step:
        return "step"
    if run.status.has_ended:
        return "end"
    return "down" if status_block(diagnosis).health is Health.DOWN else ""


def _told(diagnosis: Diagnosis, why: str, seconds: float) -> Document:
    findings = [f"{item.severity}: {item.name} from step {item.first_step}" for item in diagnosis.findings]
    return {"reached": why, "waited_seconds": round(seconds, 1), **status(diagnosis), "findings": findings}
