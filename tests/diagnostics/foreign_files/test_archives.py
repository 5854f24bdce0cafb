"""Archives are unpacked within bounds and below their folder; a hostile one leaves nothing behind."""

import io
import os
import random
import stat
import struct
import zipfile
from collections.abc import Iterable
from pathlib import Path

import pytest

from diagnostics.foreign_files import archives
from diagnostics.foreign_files.archives import UploadRefused, store

RECORD = struct.Struct("<4s6H3I5H2I")
END = struct.Struct("<4s4H2IH")
NOISE = random.Random(0).randbytes(4096)


def packed(entries: Iterable[tuple[str | zipfile.ZipInfo, bytes]]) -> io.BytesIO:
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in entries:
            archive.writestr(name, text)
    content.seek(0)
    return content


def special(name: str, kind: int) -> zipfile.ZipInfo:
    entry = zipfile.ZipInfo(name)
    entry.create_system, entry.external_attr = 3, (kind | 0o777) << 16
    return entry


def listing(count: int) -> io.BytesIO:
    """An archive that is nothing but a table of contents, in which one name stands this often."""
    record = RECORD.pack(b"PK\x01\x02", 20, 20, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0) + b"a"
    return io.BytesIO(record * count + END.pack(b"PK\x05\x06", 0, 0, 0, 0, len(record) * count, 0, 0))


def found_in(folder: Path) -> dict[str, bytes]:
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def refused(tmp_path: Path, content: io.BytesIO, words: str) -> None:
    """It is refused with these words, and neither its folder nor anything else has appeared."""
    before = sorted(os.walk(tmp_path))
    (tmp_path / "uploads").mkdir(exist_ok=True)
    with pytest.raises(UploadRefused, match=words):
        store([("logs.zip", content)], tmp_path / "uploads" / "new")
    (tmp_path / "uploads").rmdir()
    assert sorted(os.walk(tmp_path)) == before


def test_a_zip_is_unpacked_into_its_folder_readable_by_its_user_alone(tmp_path: Path) -> None:
    content = packed(
        [("runs/a/events.jsonl", b"1\n"), ("runs/b/", b""), ("runs\\c\\", b""), ("runs\\c\\log.txt", b"2\n")]
    )

    stored = store([("logs.zip", content)], tmp_path / "new")

    assert found_in(tmp_path / "new") == {"runs/a/events.jsonl": b"1\n", "runs/c/log.txt": b"2\n"}
    assert (stored.files, stored.bytes, stored.left_out) == (2, 4, ())
    assert stat.S_IMODE((tmp_path / "new/runs/a/events.jsonl").stat().st_mode) == 0o600
    assert [path.name for path in tmp_path.iterdir()] == ["new"]


def test_files_are_stored_by_the_last_part_of_their_names(tmp_path: Path) -> None:
    names = ("train.log", "../../up.log", "C:\\logs\\win.log", "..", "", "nul\0l", "x" * 300, "user\u202egnp.log")
    stored = store([(name, io.BytesIO(b"a")) for name in names], tmp_path / "new")

    assert set(found_in(tmp_path / "new")) == {"train.log", "up.log", "win.log", "user\u202egnp.log"}
    assert len(stored.left_out) == 4
    assert [path.name for path in tmp_path.iterdir()] == ["new"]


@pytest.mark.parametrize(
    "name", ["../up", "a/../../up", "/etc/up", "..\\up", "C:\\up", "\\\\host\\up", "a/b/../../../up", "x\0/../../up"]
)
def test_an_archive_that_would_leave_its_folder_is_refused_whole(tmp_path: Path, name: str) -> None:
    entry = zipfile.ZipInfo("placeholder")
    entry.filename = name  # past what the class itself would cut off
    refused(tmp_path, packed([("good", b"1"), (entry, b"2")]), "would be stored outside of its folder")


def test_links_devices_and_archives_are_left_out_with_the_reason(tmp_path: Path) -> None:
    entries: list[tuple[str | zipfile.ZipInfo, bytes]] = [
        (special("link", stat.S_IFLNK), b"/etc/passwd"),
        ("link/passwd", b"through it"),
        (special("device", stat.S_IFCHR), b""),
        (special("fifo", stat.S_IFIFO), b""),
        ("inner.zip", packed([("x", b"x")]).getvalue()),
        ("/".join("d" * 40) + "/deep", b"x"),
        ("\\".join("d" * 40) + "\\deep", b"x"),
        ("run/events.jsonl", b"first"),
        ("run/events.jsonl", b"second"),
        ("run/events.jsonl/below", b"x"),
        ("user\u202egnp.log", b"shown as it is"),
        ("n" * 300, b"x"),
    ]
    with pytest.warns(UserWarning, match="Duplicate name"):
        content = packed(entries)

    stored = store([("logs.zip", content)], tmp_path / "new")

    assert found_in(tmp_path / "new") == {
        "link/passwd": b"through it",
        "run/events.jsonl": b"first",
        "user\u202egnp.log": b"shown as it is",
    }
    reasons = " ".join(stored.left_out)
    assert reasons.count("it is a link, or no file at all") == 3
    assert reasons.count("folders deep") == 2
    for words in (
        "archive itself",
        "the first one counts",
        "a file is where its folder goes",
        "cannot be stored",
    ):
        assert words in reasons


def test_a_bomb_is_refused_while_it_unpacks_whatever_it_says_of_its_size(tmp_path: Path) -> None:
    refused(tmp_path, packed([("zeros", bytes(64_000_000))]), "more than 200 times its size")

    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("zeros", bytes(1_000))
        archive.filelist[0].file_size = 10_000_000_000
    refused(tmp_path, content, "unpacks to 10 GB; up to 2 GB are taken")

    one = packed([("zeros", bytes(1_000_000))])
    lying = one.getvalue().replace(struct.pack("<I", 1_000_000), struct.pack("<I", 10))
    refused(tmp_path, io.BytesIO(lying), "cannot be unpacked")


def test_no_more_bytes_are_stored_than_the_bound(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(archives, "UPLOAD_BYTES", 1_000)
    with pytest.raises(UploadRefused, match="more than the 1 kB"):
        store([("a.log", io.BytesIO(bytes(600))), ("b.log", io.BytesIO(bytes(600)))], tmp_path / "new")
    assert list(tmp_path.iterdir()) == []


def test_a_million_entries_are_refused_by_the_table_of_contents(tmp_path: Path) -> None:
    refused(tmp_path, listing(1_000_000), "lists more files than the 20,000")
    refused(tmp_path, listing(20_001), "holds 20,001 files; up to 20,000")


@pytest.mark.parametrize(
    "content",
    [b"", b"PK\x03\x04", b"PK\x05\x06" + bytes(3), NOISE],
    ids=["nothing", "a beginning", "an end", "noise"],
)
def test_what_is_no_archive_is_said_to_be_none(tmp_path: Path, content: bytes) -> None:
    with pytest.raises(UploadRefused, match="cannot be unpacked"):
        store([("logs.zip", io.BytesIO(content))], tmp_path / "new")
    assert list(tmp_path.iterdir()) == []


def test_any_damage_to_an_archive_ends_in_files_or_a_sentence(tmp_path: Path) -> None:
    whole = packed([(f"run/{number}", b"text " * 50) for number in range(4)]).getvalue()
    sentences = list[str]()
    for place in range(0, len(whole), 7):
        damaged = bytearray(whole)
        damaged[place] ^= 0xFF
        try:
            store([("logs.zip", io.BytesIO(bytes(damaged)))], tmp_path / str(place))
        except UploadRefused as error:
            sentences.append(str(error))
    assert sentences
    assert {sentence[-1] for sentence in sentences} == {"."}
    assert not [path for path in tmp_path.iterdir() if path.name.startswith(".")]
