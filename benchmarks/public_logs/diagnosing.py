"""What `rlvitals diagnose` says of one log: run as anyone runs it, in a process of its own, with a time limit."""

import json
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ALARMS = ("warning", "critical")
VERDICTS = ("critical", "warning", "info", "no-problem-found", "not-rl", "healthy")
"""Of several trainings in one log the verdict is the gravest, and healthy only where all of them are."""


@dataclass(frozen=True, slots=True)
class Alarm:
    """A rule that fired at warning or above."""

    rule: str
    severity: str
    first_step: int | None


@dataclass(frozen=True, slots=True)
class Said:
    """What was said of a log. `verdict` is `unreadable` where nothing was, and `error` says why.

    `missing` are the vital checks that could not run.
    """

    verdict: str
    producer: str = ""
    runs: int = 0
    cause: str = ""
    alarms: tuple[Alarm, ...] = ()
    missing: tuple[str, ...] = ()
    error: str = ""


def diagnosed(log: Path, seconds: float) -> Said:
    """Ask the command line what it says of a log."""
    command = [sys.executable, "-m", "diagnostics.cli", "diagnose", str(log), "--format", "json"]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=seconds, check=False)
    except subprocess.TimeoutExpired:
        return Said("unreadable", error=f"gave no answer within {seconds:g} s")
    if not done.stdout.strip():
        return Said("unreadable", error=_in_short(done.stderr.strip().rpartition("\n")[2], log))
    return said(json.loads(done.stdout), log)


def said(report: Mapping[str, Any], log: Path) -> Said:
    """What a JSON report says of its runs, as one answer; the gravest of several runs speaks."""
    runs: Sequence[Mapping[str, Any]] = report["runs"]
    if not runs:
        return Said("unreadable", error=_in_short("; ".join(error["error"] for error in report["errors"]), log))
    gravest = min(runs, key=lambda run: VERDICTS.index(run["verdict"]))
    return Said(
        verdict=gravest["verdict"],
        producer=gravest["producer"],
        runs=len(runs),
        cause=gravest["causes"][0]["cause"] if gravest["causes"] else "",
        alarms=tuple(alarm for run in runs for alarm in _alarms(run)),
        missing=tuple(gap["check"] for gap in gravest["vital_missing"]),
    )


def _in_short(error: str, log: Path) -> str:
    """The sentence without the path and without what was looked for."""
    return error.partition(" (")[0].replace(f"{log}", log.name)


def _alarms(run: Mapping[str, Any]) -> list[Alarm]:
    fired = [outcome for outcome in run["outcomes"] if outcome["verdict"] == "fired"]
    return [
        Alarm(outcome["rule"], outcome["severity"], outcome["first_step"])
        for outcome in fired
        if outcome["severity"] in ALARMS
    ]
