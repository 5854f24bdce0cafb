"""Locates the run that another one was relaunched from."""

from pathlib import Path

from diagnostics.model.run import Run
from diagnostics.runlog.records import RUN_FILE, RecordError, RunRecord

SAMPLE_RUNS = Path(__file__).resolve().parents[2] / "sample_runs"
"""Of a git checkout; an installed package has none."""


def find_parent(run: Run, *folders: Path) -> Path | None:
    """The run directory of the run that this one was relaunched from.

    Searched beside the run, in `folders` and among the sample runs; None if it is not there or the run has no parent.
    """
    if run.parent is None:
        return None
    for folder in (run.path.parent, *folders, SAMPLE_RUNS):
        for record in sorted(folder.glob(f"*/{RUN_FILE}")):
            if record.parent != run.path and _id_in(record.parent) == run.parent:
                return record.parent
    return None


def _id_in(folder: Path) -> str | None:
    try:
        return RunRecord.read(folder).run_id
    except RecordError:  # a broken neighbour is no parent
        return None
