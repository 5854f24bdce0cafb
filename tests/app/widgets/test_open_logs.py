"""Logs elsewhere are opened from the page, or a sentence says why not."""

import io
import os
import threading
import zipfile
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from app import state
from app.widgets import open_logs
from diagnostics.api import find_runs
from diagnostics.runlog import RunLog

PAGE = """
import streamlit as st
from app import state
from app.widgets.open_logs import open_logs
open_logs("chosen")
st.text("|".join(map(str, state.folders())))
st.text(st.session_state.get("chosen", ""))
"""


@pytest.fixture
def page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AppTest:
    monkeypatch.setenv("RLVITALS_PATHS", str(tmp_path / "first"))
    monkeypatch.setenv("HOME", str(tmp_path))
    return AppTest.from_string(PAGE, default_timeout=30).run()


def typed(page: AppTest, words: str) -> str:
    """The page's answer to a path that a user types."""
    page.text_input(key="open_logs.path").set_value(words).run()
    assert not page.exception
    return str(page.caption[0].value).replace("\\", "")


def folders(page: AppTest) -> list[str]:
    return str(page.text[0].value).split("|")


def test_a_run_that_was_found_is_one_click_away_whatever_its_name(page: AppTest, tmp_path: Path) -> None:
    run = tmp_path / "logs" / "a [b](c) `d`"
    RunLog(run, algorithm="grpo").close("finished")
    typed(page, "~/logs")
    (button,) = [button for button in page.button if button.key == "open_logs.run.0"]
    button.click().run()
    assert not page.exception
    assert page.text[1].value == str(run)


def test_a_folder_with_runs_joins_those_that_are_shown(page: AppTest, tmp_path: Path) -> None:
    for name in ("a", "b"):
        RunLog(tmp_path / "logs" / name, algorithm="grpo").close("finished")
    logs = str(tmp_path / "logs")
    assert typed(page, "~/logs") == f"2 runs in {logs}: in the list now."
    assert folders(page) == [str(tmp_path / "first"), logs]
    typed(page, logs)
    assert folders(page) == [str(tmp_path / "first"), logs]


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ("~/nowhere", "nowhere does not exist"),
        ("~/empty", "is an empty folder: no run has been written into it yet"),
        ("wandb://me/project/run", "rlvitals import wandb://me/project/run --to FOLDER"),
        ("s3://bucket/a b;rm -rf", "a dashboard that was started on it: rlvitals 's3://bucket/a b;rm -rf'"),
        ("wandb://team/project/run", "rlvitals import wandb://team/project/run --to FOLDER"),
        ("~nobody-of-this-name/logs", "names a user whom this machine does not know"),
        ("/tmp/a:b", "stands between paths"),
    ],
)
def test_what_is_no_run_is_told_and_changes_nothing(page: AppTest, tmp_path: Path, words: str, sentence: str) -> None:
    (tmp_path / "empty").mkdir()
    before = os.environ["RLVITALS_PATHS"]
    assert sentence in typed(page, words)
    assert os.environ["RLVITALS_PATHS"] == before


def test_nobody_waits_for_a_search_without_end(page: AppTest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(open_logs, "_PATIENCE", 0.0)
    for number in range(300):
        (tmp_path / "large" / f"{number}" / "inside").mkdir(parents=True)
    assert "name a folder nearer to the runs" in typed(page, "~/large")


def test_a_search_that_is_given_up_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(open_logs, "_PATIENCE", 0.05)
    found, answer, _ = open_logs._open_logs("/usr")
    assert (found, "holds too much to be searched" in answer) == (False, True)

    (search,) = [thread for thread in threading.enumerate() if thread.name == "search of /usr"]
    search.join(5)
    assert not search.is_alive()


@pytest.fixture
def uploads(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where what is dropped is kept."""
    monkeypatch.setenv("RLVITALS_PATHS", str(tmp_path / "first"))
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    return tmp_path / "data" / "rlvitals" / "uploads"


def packed(folder: Path, **others: bytes) -> io.BytesIO:
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as archive:
        for path in filter(Path.is_file, folder.rglob("*")):
            archive.write(path, path.relative_to(folder.parent))
        for name, text in others.items():
            archive.writestr(name.replace("_", "."), text)
    return content


def test_dropped_logs_are_kept_in_a_folder_of_their_own_and_join_the_list(tmp_path: Path, uploads: Path) -> None:
    RunLog(tmp_path / "logs" / "a", algorithm="grpo").close("finished")

    found, answer, _ = open_logs._store([("my logs.zip", packed(tmp_path / "logs", inner_zip=b"PK"))])

    (folder,) = uploads.iterdir()
    assert (found, folder.name.endswith("-my-logs")) == (True, True)
    assert answer.startswith(f"1 run in {folder}: in the list now. 1 file left out: inner.zip was left out")
    assert state.folders() == (tmp_path / "first", folder)
    assert [ref.path for ref in find_runs(folder)] == [folder / "logs" / "a"]


@pytest.mark.parametrize(
    ("name", "text", "sentence"),
    [
        ("../..zip", b"PK", "cannot be unpacked"),
        ("notes.txt", b"nothing of a training", "There is no run in what was dropped, and nothing was kept."),
    ],
)
def test_what_is_dropped_without_a_run_leaves_nothing(
    tmp_path: Path, uploads: Path, name: str, text: bytes, sentence: str
) -> None:
    found, answer, _ = open_logs._store([(name, io.BytesIO(text))])
    assert (found, sentence in answer) == (False, True)
    assert list(uploads.iterdir()) == []
    assert state.folders() == (tmp_path / "first",)


def test_a_read_only_dashboard_adds_no_folder_whatever_is_sent(
    page: AppTest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    RunLog(tmp_path / "logs" / "a", algorithm="grpo").close("finished")
    monkeypatch.setenv("RLVITALS_READ_ONLY", "1")  # after the page was drawn with its field
    typed(page, "~/logs")
    assert folders(page) == [str(tmp_path / "first")]
