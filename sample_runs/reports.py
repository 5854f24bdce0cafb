"""The reports of the sample runs, in the three human-readable forms, as the command line writes them.

    python sample_runs/reports.py

rewrites docs/reports. A test compares its contents with what the rules report today.
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
    """Each report's file name and text; its paths are relative to the repository, from which this must be called."""
    for description in sorted(Path("sample_runs").glob("*/run.json")):
        report = Report((diagnose(open_run(description.parent)),))
        for suffix, form in FORMS.items():
            yield f"{description.parent.name}.{suffix}", rendered(report, form) + "\n"


def main() -> None:
    """Write every report, and remove those of deleted runs."""
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
