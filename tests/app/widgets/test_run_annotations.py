"""What the browser sends about runs changes what is kept of the runs of the list, and of no other."""

from pathlib import Path

import pytest

from app import state
from app.widgets.run_annotations import annotations_of, change
from diagnostics.annotations import Annotation

A, B = Path("/runs/a b"), Path("/runs/ü")
KNOWN = frozenset({A, B})


@pytest.fixture(autouse=True)
def _data_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))


def sent(*paths: Path, text: str = "") -> dict[str, object]:
    return {"runs": [state.run_query(path) for path in paths], "text": text}


def said() -> list[Annotation]:
    return annotations_of([A, B])[0]


def test_runs_of_the_list_are_tagged_noted_archived_and_restored() -> None:
    assert change("tag", sent(A, B, text="paper"), KNOWN) == ""
    assert change("note", sent(B, text="why"), KNOWN) == ""
    assert change("archive", sent(A), KNOWN) == ""
    assert said() == [Annotation(("paper",), is_archived=True), Annotation(("paper",), "why")]
    change("untag", sent(A, text="paper"), KNOWN)
    change("restore", sent(A), KNOWN)
    assert said()[0] == Annotation()


def test_why_a_tag_is_refused_is_told() -> None:
    assert "at most 64 characters" in change("tag", sent(A, text="x" * 1_000_000), KNOWN)


@pytest.mark.parametrize(
    "hostile",
    [
        None,
        "archive",
        {},
        {"runs": 7},
        {"runs": "run=/runs/a"},
        {"runs": [None, {}, "", "run", "path=/runs/a", "run=%00", "run=ü"]},
        sent(Path("/etc")),
    ],
)
def test_what_names_no_run_of_the_list_changes_nothing(hostile: object, tmp_path: Path) -> None:
    assert change("archive", hostile, KNOWN) == ""
    assert list(tmp_path.iterdir()) == []


def test_what_is_no_change_changes_nothing(tmp_path: Path) -> None:
    assert change("delete", sent(A), KNOWN) == ""
    assert list(tmp_path.iterdir()) == []


def test_a_read_only_dashboard_changes_nothing_whatever_is_sent(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RLVITALS_READ_ONLY", "1")
    assert change("archive", sent(A), KNOWN) == ""
    assert list(tmp_path.iterdir()) == []
