"""The reports of the sample runs, in the three forms that a person reads, as the command line writes them.

    python sample_runs/reports.py

writes docs/reports anew. A test compares what lies there with what the rules say today.
"""

import os
from collections.abc import Iterator
from pathlib import Path

from diagnostics.api import diagnose, open_run
from diagnostics.report.forms import rendered
from diagnostics.report.report import Report

ROOT = Path(__file__).resolve().parents[1]
REPORTS = ROOT / "docs" / "reports"
FORMS = {"txt": "text", "md": "markdown", "html": "html"}


def reports() -> Iterator[tuple[str, str]]:
    """Each report's file name and text; paths in it are those of the repository, from which this must be called."""
    for description in sorted(Path("sample_runs").glob("*/run.json")):
        report = Report((diagnose(open_run(description.parent)),))
        for suffix, form in FORMS.items():
            yield f"{description.parent.name}.{suffix}", rendered(report, form) + "\n"


def main() -> None:
    """Write every report, and remove those of runs that are gone."""
    os.chdir(ROOT)
    REPORTS.mkdir(exist_ok=True)
    written = dict(reports())
    for stale in REPORTS.iterdir():
        if stale.name not in written:
            stale.unlink()
    for name, text in written.items():
        (REPORTS / name).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
