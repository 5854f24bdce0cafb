"""The report of a run as a file, in the forms of `rlvitals diagnose --format`."""

from app.load.runs import snapshot_of
from diagnostics.api import UnreadableRun
from diagnostics.boundary import Boundary
from diagnostics.comparison import compare
from diagnostics.language import ENGLISH, current_language, language
from diagnostics.model.diagnosis import Diagnosis
from diagnostics.report.forms import rendered
from diagnostics.report.report import Report
from diagnostics.report.terminal import printable
from diagnostics.runlog.parent import find_parent

REPORTS = {"report.html": "html", "report.md": "markdown", "report.json": "json"}
"""File → form of report."""


def report_of(diagnosis: Diagnosis, form: str, boundary: Boundary) -> str:
    """The report, with the comparison to the run's parent where that is shown here too.

    JSON is for programs, which read the same everywhere: in English.
    """
    with language(ENGLISH if form == "json" else current_language()):
        parent = _parent_of(diagnosis, boundary)
        comparisons = {diagnosis.run.path: compare(diagnosis, parent)} if parent else {}
        return f"{printable(rendered(Report((diagnosis,), comparisons=comparisons), form))}\n"


def _parent_of(diagnosis: Diagnosis, boundary: Boundary) -> Diagnosis | None:
    path = find_parent(diagnosis.run, *boundary.folders)
    try:
        return snapshot_of(str(path), boundary).diagnosis if path else None
    except UnreadableRun:  # not asked for: the report says that it was not found
        return None
