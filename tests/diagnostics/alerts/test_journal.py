"""Tests of the journal: shared by all who watch, and honest where it cannot be kept."""

import sqlite3
from pathlib import Path

import pytest

from diagnostics.alerts.episodes import Event, Kind, Told, news
from diagnostics.alerts.journal import Journal, JournalError
from diagnostics.model.diagnosis import Diagnosis
from tests.diagnostics.alerts.diagnoses import diagnosis


def told(journal: Journal, found: Diagnosis) -> list[Kind]:
    def step(before: Told | None) -> tuple[list[Event], Told]:
        return news(before, found, found.run.observed_at, 600)

    return [event.kind for event in journal.advance(found.run, step)]


def test_what_one_watcher_told_no_other_one_tells_again(tmp_path: Path) -> None:
    first, second = Journal(tmp_path / "new" / "alerts.sqlite"), Journal(tmp_path / "new" / "alerts.sqlite")
    assert told(first, diagnosis(1000, kl_runaway="warning")) == [Kind.OPENED]
    assert told(second, diagnosis(1001, kl_runaway="warning")) == []
    assert told(second, diagnosis(1002, path=Path("runs/other"), kl_runaway="warning")) == [Kind.OPENED]
    assert told(first, diagnosis(1003, kl_runaway="critical")) == [Kind.WORSENED]


def test_an_entry_of_another_version_counts_as_none(tmp_path: Path) -> None:
    journal = Journal(tmp_path / "alerts.sqlite")
    assert told(journal, diagnosis(1000, kl_runaway="warning")) == [Kind.OPENED]
    with sqlite3.connect(journal.place) as database:
        database.execute("UPDATE told SET said = '{\"version\": 9}'")
    assert told(journal, diagnosis(1001, kl_runaway="warning")) == [Kind.OPENED]


def test_a_journal_that_cannot_be_kept_is_an_error_and_no_alert(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(JournalError, match="what was told cannot be kept in"):
        told(Journal(tmp_path / "file" / "alerts.sqlite"), diagnosis(1000, kl_runaway="warning"))
    (tmp_path / "broken.sqlite").write_text("no database " * 100)
    with pytest.raises(JournalError, match="file is not a database"):
        told(Journal(tmp_path / "broken.sqlite"), diagnosis(1000, kl_runaway="warning"))
