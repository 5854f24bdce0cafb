"""What every case must survive: `find_runs`, `open_run`, `diagnose` and its report, then the command `rlvitals runs`.

A bug of a reader must not hide the runs of the others: such an error goes to the log, and is a failure here.
"""

import io
import logging
import traceback
from collections.abc import Iterator
from contextlib import redirect_stderr, redirect_stdout, suppress
from enum import StrEnum
from pathlib import Path

from diagnostics.api import UnreadableRun, diagnose, find_runs, open_run
from diagnostics.cli import main
from diagnostics.cli.command import BAD_INPUT
from diagnostics.model.diagnosis import Diagnosis
from diagnostics.model.outcome import Verdict
from diagnostics.report.forms import rendered
from diagnostics.report.report import Report
from diagnostics.report.terminal import Style
from diagnostics.wording.messages import message_text

BROKEN = Verdict.BROKEN
_MOST_READ = 50  # of the runs in one folder: reading a thousand sound ones takes what it takes


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
    """Find, open, diagnose and list what is at a path; the outcome, and what shows it where it is a failure."""
    mistakes = _Mistakes()
    logging.getLogger("diagnostics").addHandler(mistakes)
    logging.getLogger("diagnostics").setLevel(logging.DEBUG)
    try:
        diagnoses = list(_diagnosed(path))
        rendered(Report(tuple(diagnoses), ()), "json", Style())
        if len(diagnoses) < _MOST_READ:
            _list(path)
    except Exception as error:
        return Outcome.RAISED, _where(error)
    finally:
        logging.getLogger("diagnostics").removeHandler(mistakes)
    if mistakes.found:
        return Outcome.RAISED, _where(mistakes.found[0])
    outcomes = (outcome for diagnosis in diagnoses for outcome in diagnosis.outcomes)
    broken = [f"{outcome.rule}: {message_text(outcome.message)}" for outcome in outcomes if outcome.verdict is BROKEN]
    if broken:
        return Outcome.BROKEN, broken[0]
    return (Outcome.RUN if diagnoses else Outcome.ERROR), ""


class _Mistakes(logging.Handler):
    """The exceptions that were logged instead of raised."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[BaseException] = []

    def emit(self, record: logging.LogRecord) -> None:
        if record.exc_info and record.exc_info[1]:
            self.found.append(record.exc_info[1])


def _diagnosed(path: Path) -> Iterator[Diagnosis]:
    """The diagnoses of what can be read; only the documented error is expected of what cannot."""
    for found in (find_runs(path) or [path])[:_MOST_READ]:
        with suppress(UnreadableRun):
            yield diagnose(open_run(found))


def _list(path: Path) -> None:
    """What `rlvitals runs` does. Raises AssertionError where it fails without a sentence."""
    errors = io.StringIO()
    with redirect_stdout(io.StringIO()), redirect_stderr(errors):
        code = main(["runs", "--", str(path)])
    if code == BAD_INPUT and not errors.getvalue().strip():
        raise AssertionError("rlvitals runs fails without a sentence")


def _where(error: BaseException) -> str:
    """The exception, and the line of ours that it passed last."""
    places = traceback.extract_tb(error.__traceback__)
    ours = next((place for place in reversed(places) if "/diagnostics/" in place.filename), places[-1])
    return f"{type(error).__name__} in line {ours.lineno} of {Path(ours.filename).name}: {str(error)[:100]!r}"
