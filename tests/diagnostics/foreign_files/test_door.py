"""The door to foreign files."""

import os
import socket
from collections.abc import Callable
from pathlib import Path

import pytest

from diagnostics.foreign_files import (
    FileTooLarge,
    NotRegularFile,
    open_regular,
    read_end,
    read_head,
    read_span,
    read_text,
    read_whole,
)
from diagnostics.foreign_files.bounds import size_in_words

TERABYTE = 10**12


def listen(path: Path) -> None:
    socket.socket(socket.AF_UNIX).bind(str(path))


SPECIAL: list[tuple[str, Callable[[Path], object]]] = [
    ("a FIFO", os.mkfifo),
    ("a socket", listen),
    ("a device", lambda path: path.symlink_to("/dev/urandom")),
    ("a folder", Path.mkdir),
]


@pytest.mark.parametrize(("kind", "make"), SPECIAL, ids=[kind for kind, _ in SPECIAL])
def test_nothing_but_a_regular_file_is_opened(
    kind: str, make: Callable[[Path], object], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)  # the path of a socket is short
    make(Path("special"))

    for read in (open_regular, read_whole, lambda path: read_head(path, 9), lambda path: read_end(path, 9)):
        with pytest.raises(NotRegularFile) as raised:
            read(Path("special"))
        assert f"special cannot be read: it is {kind}, not a file" == str(raised.value)


def test_a_link_to_a_regular_file_is_followed(tmp_path: Path) -> None:
    (tmp_path / "log").write_bytes(b"content")
    (tmp_path / "link").symlink_to("log")

    assert read_whole(tmp_path / "link") == b"content"


def test_a_loop_of_links_is_an_error_of_the_system(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to("link")

    with pytest.raises(OSError, match="symbolic links"):
        read_whole(tmp_path / "link")


def test_a_sparse_terabyte_is_refused_as_a_whole_and_read_in_parts(tmp_path: Path) -> None:
    file = tmp_path / "sparse"
    file.touch()
    os.truncate(file, TERABYTE)

    with pytest.raises(FileTooLarge, match="it holds 1 TB, and such a file is read up to 64 MB"):
        read_whole(file)
    assert [len(read_head(file, 9)), len(read_end(file, 9)), len(read_span(file, 3, 8))] == [9, 9, 5]


def test_a_file_of_exactly_the_bound_is_read(tmp_path: Path) -> None:
    file = tmp_path / "log"
    file.write_bytes(b"12345")

    assert read_whole(file, 5) == b"12345"
    with pytest.raises(FileTooLarge):
        read_whole(file, 4)


def test_a_file_of_the_kernel_that_hides_its_size_is_bounded_too() -> None:
    with pytest.raises(FileTooLarge):
        read_whole(Path("/proc/self/maps"), 10)


def test_text_has_the_line_ends_of_python(tmp_path: Path) -> None:
    (tmp_path / "text").write_bytes(b"a\r\nb\rc\n\xff")

    assert read_text(tmp_path / "text", errors="replace") == "a\nb\nc\n\ufffd"


@pytest.mark.parametrize(
    ("size", "words"),
    [(0, "0 bytes"), (999, "999 bytes"), (1000, "1 kB"), (64_000_000, "64 MB"), (3_140_000_000, "3.1 GB")],
)
def test_sizes_are_told_as_people_write_them(size: int, words: str) -> None:
    assert size_in_words(size) == words
