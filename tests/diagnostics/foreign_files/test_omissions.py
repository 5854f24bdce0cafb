"""Tests of omissions: what a search leaves out is logged once, told each time, and harms no terminal."""

from pathlib import Path

import pytest

from diagnostics.foreign_files.bounds import FOLDER_DEPTH
from diagnostics.foreign_files.folders import files_in
from diagnostics.foreign_files.omissions import collected_omissions
from diagnostics.foreign_files.walk import folders_below


def left_out(folder: Path) -> str:
    looked_at = "of each kind the first 1,000 by name, or 100,000 with a step in their names"
    return f"{folder} holds more files than are looked at: {looked_at}"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name in "abc":
        (tmp_path / name).touch()
    return tmp_path


def test_an_omission_is_logged_once_and_collected_by_every_search(
    folder: Path, caplog: pytest.LogCaptureFixture
) -> None:
    for _ in range(3):
        with collected_omissions() as omissions:
            assert [file.name for file in files_in(folder, "*", "a*", most=2)] == ["a", "b"]
            files_in(folder, "*", "a*", most=2)
        assert list(omissions) == [left_out(folder)]
    assert caplog.messages == [left_out(folder)]


def test_a_folder_is_told_of_once_whatever_is_looked_for_in_it_and_however_it_grows(
    folder: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with collected_omissions() as omissions:
        files_in(folder, "*", most=2)
        files_in(folder, "[ab]", "c", most=1)
        (folder / "d").touch()
        files_in(folder, "*", most=2)
    assert list(omissions) == [left_out(folder)]
    assert caplog.messages == [left_out(folder)]


def test_nothing_is_an_omission_where_all_files_fit(folder: Path, caplog: pytest.LogCaptureFixture) -> None:
    with collected_omissions() as omissions:
        assert len(files_in(folder, "*", most=3)) == 3
    assert (list(omissions), caplog.messages) == ([], [])


def test_a_folder_beyond_the_depth_of_a_search_is_an_omission(tmp_path: Path) -> None:
    deepest = tmp_path.joinpath(*["d"] * FOLDER_DEPTH)
    deepest.mkdir(parents=True)
    with collected_omissions() as omissions:
        assert [folder.path for folder in folders_below(tmp_path)][-1] == deepest
        assert list(omissions) == []
        for name in "ef":
            (deepest / name).mkdir()
        assert [folder.path for folder in folders_below(tmp_path)][-1] == deepest
    assert list(omissions) == [f"the search of {tmp_path} went 64 folders deep; what lies deeper was not looked at"]


def test_a_folders_name_reaches_no_terminal_with_its_control_characters(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    folder = tmp_path / "a\x1b]0;title\x07\nb"
    folder.mkdir()
    (folder / "c").touch()
    (folder / "d").touch()
    files_in(folder, "*", most=1)
    assert "a␛]0;title␇⏎b holds more files" in caplog.text
