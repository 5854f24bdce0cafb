"""Tests of the user's token: kept in a private file, made anew where that file cannot be trusted."""

import os
import stat
from pathlib import Path

import pytest

from diagnostics.cli.access_token import access_token, token_file
from diagnostics.cli.command import CommandError


@pytest.fixture(autouse=True)
def data_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.delenv("RLVITALS_TOKEN", raising=False)
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    return tmp_path / "data"


def mode(path: Path) -> int:
    return stat.S_IMODE(path.lstat().st_mode)


def test_the_token_is_kept_in_a_file_of_mode_600_in_a_folder_of_mode_700(data_home: Path) -> None:
    old = os.umask(0)
    try:
        token = access_token()
    finally:
        os.umask(old)

    assert token == token_file().read_text().strip()
    assert len(token) == 43
    assert (mode(token_file()), mode(token_file().parent)) == (0o600, 0o700)
    assert token_file() == data_home / "rlvitals" / "token"
    assert [token_file()] == list(token_file().parent.iterdir())


def test_the_token_is_the_same_at_the_next_start() -> None:
    assert access_token() == access_token()


@pytest.mark.parametrize("opened_to", [0o640, 0o604, 0o620, 0o602])
def test_a_file_that_others_could_use_gives_a_new_token(opened_to: int, capsys: pytest.CaptureFixture[str]) -> None:
    old = access_token()
    token_file().chmod(opened_to)

    assert access_token() != old
    assert mode(token_file()) == 0o600
    assert f"can be used by other users (mode {opened_to:o})" in capsys.readouterr().err


@pytest.mark.skipif(os.geteuid() != 0, reason="only root may give a file away")
def test_a_file_of_another_user_gives_a_new_token() -> None:
    old = access_token()
    os.chown(token_file(), 12345, -1)

    assert access_token() != old
    assert token_file().stat().st_uid == os.geteuid()


def test_a_link_a_fifo_and_a_torn_file_give_a_new_token(tmp_path: Path) -> None:
    known = tmp_path / "known"
    known.write_text("a token that somebody else knows\n")
    known.chmod(0o600)
    for make in (lambda path: path.symlink_to(known), os.mkfifo, lambda path: path.touch(0o600)):
        access_token()
        token_file().unlink()
        make(token_file())

        assert access_token() == token_file().read_text().strip()
        assert token_file().lstat().st_size == 44
    assert known.read_text() == "a token that somebody else knows\n"


def test_where_no_token_can_be_kept_one_lasts_until_the_end(
    data_home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    data_home.write_text("a file where the folder should be")

    assert len(access_token()) == 43
    assert "this one lasts until the dashboard ends" in capsys.readouterr().err


def test_a_token_of_the_environment_takes_the_place_of_the_file(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RLVITALS_TOKEN", "chosen-by-a-proxy")

    assert access_token() == "chosen-by-a-proxy"
    assert not token_file().exists()


@pytest.mark.parametrize("given", ["", "short", "x" * 15, "sixteen characters and spaces", "x" * 20 + "&", "é" * 20])
def test_a_token_that_is_short_or_no_part_of_an_address_is_refused(given: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RLVITALS_TOKEN", given)

    with pytest.raises(CommandError, match="RLVITALS_TOKEN holds no token: it takes 16 or more"):
        access_token()
