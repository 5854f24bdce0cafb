"""How often a cause was right is told beside it, in every form of a report."""

from dataclasses import replace
from pathlib import Path

import pytest

from diagnostics.api import diagnose, open_run
from diagnostics.causes import CATALOG, track_record
from diagnostics.causes.track_record import track_records
from diagnostics.model.finding import Finding
from diagnostics.model.outcome import Severity
from diagnostics.rules import CATALOG as RULES
from diagnostics.wording.findings import record_sentence

CUT_OFF = Path(__file__).resolve().parents[3] / "sample_runs" / "cut-off"


@pytest.fixture
def finding() -> Finding:
    return diagnose(open_run(CUT_OFF)).findings[0]


def test_thetrack_records_are_of_causes_and_are_shares() -> None:
    assert set(track_records()) <= {entry.name for entry in CATALOG}
    assert all(0 <= each.right <= each.named > 0 for each in track_records().values())


def test_a_rule_has_no_record() -> None:
    assert {track_record(rule.name) for rule in RULES} == {None}


def test_a_warning_tells_how_often_its_cause_was_right(finding: Finding) -> None:
    record = track_record(finding.name)
    assert record is not None
    assert record_sentence(finding).startswith(f"Right in {record.right} of {record.named} measured TRL runs")


def test_a_note_and_a_finding_without_a_record_tell_nothing(finding: Finding) -> None:
    assert record_sentence(replace(finding, severity=Severity.INFO)) == ""
    assert record_sentence(replace(finding, name="truncation-high")) == ""
