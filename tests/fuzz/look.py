"""What every case must survive: `rlvitals runs` and `rlvitals diagnose`, in this very process."""

import io
import json
import traceback
from contextlib import redirect_stderr, redirect_stdout
from enum import StrEnum
from pathlib import Path
from typing import Any

from diagnostics.cli import main
from diagnostics.cli.command import BAD_INPUT
from diagnostics.model.outcome import Verdict


class Outcome(StrEnum):
    """How a case ends; all but the first two are failures."""

    RUN = "run"
    ERROR = "documented error"
    RAISED = "other exception"
    BROKEN = "broken rule"
    SLOW = "over time"
    LARGE = "over memory"
    DIED = "process died"

    @property
    def is_failure(self) -> bool:
        """Whether it must not happen."""
        return self not in (Outcome.RUN, Outcome.ERROR)


def look(path: Path) -> tuple[Outcome, str]:
    """List and diagnose what is at a path; the outcome, and what shows it where it is a failure."""
    try:
        _said("runs", path)
        report = _said("diagnose", path, "--format", "json")
    except Exception as error:
        return Outcome.RAISED, _where(error)
    broken = [
        f"{outcome['rule']}: {outcome['message']}"
        for run in report["runs"]
        for outcome in run["outcomes"]
        if outcome["verdict"] == Verdict.BROKEN
    ]
    if broken:
        return Outcome.BROKEN, broken[0]
    return (Outcome.RUN if report["runs"] else Outcome.ERROR), ""


def _said(command: str, path: Path, *options: str) -> Any:
    """What a command prints, read if it is JSON. Raises AssertionError where it fails without a sentence."""
    out, errors = io.StringIO(), io.StringIO()
    with redirect_stdout(out), redirect_stderr(errors):
        code = main([command, *options, "--", str(path)])
    if code == BAD_INPUT and not errors.getvalue().strip():
        raise AssertionError(f"{command} fails without a sentence")
    return json.loads(out.getvalue()) if options else None


def _where(error: Exception) -> str:
    """The exception, and the line of ours that it passed last."""
    places = traceback.extract_tb(error.__traceback__)
    ours = next((place for place in reversed(places) if "/diagnostics/" in place.filename), places[-1])
    return f"{type(error).__name__} in line {ours.lineno} of {Path(ours.filename).name}: {str(error)[:100]!r}"
