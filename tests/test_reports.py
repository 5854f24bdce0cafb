"""Tests that the reports under docs are those that the command line prints today."""

import subprocess
from pathlib import Path

import pytest

from diagnostics.cli import main

ROOT = Path(__file__).parents[1]
REPORTS = ROOT / "docs" / "reports"
RUNS = sorted(path.parent.name for path in (ROOT / "sample_runs").glob("*/run.json"))
FORMS = {"txt": "text", "md": "markdown", "html": "html"}


@pytest.mark.parametrize("suffix", FORMS)
@pytest.mark.parametrize("name", RUNS)
def test_a_report_under_docs_is_current(name: str, suffix: str, tmp_path: Path, monkeypatch) -> None:
    monkeypatch.chdir(ROOT)
    written = tmp_path / "report"
    main(["diagnose", f"sample_runs/{name}", "--format", FORMS[suffix], "--output", str(written)])
    kept = REPORTS / f"{name}.{suffix}"
    assert kept.read_text("utf-8") == written.read_text("utf-8"), "make reports writes them anew"


def test_no_report_is_left_of_a_run_that_is_gone() -> None:
    assert {path.stem for path in REPORTS.iterdir()} == set(RUNS)


def test_the_readme_shows_a_report_as_it_prints() -> None:
    report = (REPORTS / "cut-off.txt").read_text("utf-8")
    shown = report[: report.index("\n\nCould not")]
    assert shown in (ROOT / "README.md").read_text("utf-8")


@pytest.mark.process
def test_the_command_that_writes_them_is_in_the_makefile() -> None:
    steps = subprocess.run(["make", "-n", "reports"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    assert "sample_runs/reports.py" in steps
