"""Archives that somebody else packed: unpacked into a new folder, within bounds, and nothing outside of it.

Every bound is checked while bytes arrive, since what an archive says of itself may be a lie. An archive that tries to
leave its folder, or is a bomb, is refused as a whole; what is no plain file, and what cannot be stored, is left out.
"""

import io
import os
import shutil
import stat
import struct
import tempfile
import zipfile
import zlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import IO, BinaryIO

from diagnostics.foreign_files.bounds import (
    ARCHIVE_READ_BYTES,
    UPLOAD_BYTES,
    UPLOAD_DEPTH,
    UPLOAD_FILES,
    UPLOAD_FREE_BYTES,
    UPLOAD_RATIO,
    UPLOAD_SECONDS,
    size_in_words,
)
from diagnostics.foreign_files.cancellation import TimedOut, check_cancelled, time_limit
from diagnostics.visible_text import one_line

_CHUNK_BYTES = 1 << 16
_MOST_LETTERS = 120  # of a name that is repeated
_ENCRYPTED = 0x1
_METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
_ARCHIVES = (".zip", ".tar", ".tgz", ".gz", ".bz2", ".xz", ".7z", ".rar", ".zst")


class UploadRefused(Exception):  # noqa: N818 - named for what happens to it
    """What was given is not taken; the message is one sentence, and nothing of it was kept."""


@dataclass(frozen=True, slots=True)
class Unpacked:
    """What was stored in a folder, and what was left out, a sentence each."""

    folder: Path
    files: int
    bytes: int
    left_out: tuple[str, ...] = ()


def store(uploads: Iterable[tuple[str, BinaryIO]], folder: Path) -> Unpacked:
    """Store files below a folder that does not exist yet; a zip archive is unpacked there. Raises UploadRefused.

    Each is given by its name, which may be any text, and its content. The folder appears once everything is in it.
    """
    try:
        folder.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        beside = Path(tempfile.mkdtemp(prefix=".unpacking-", dir=folder.parent))
    except OSError as error:
        raise UploadRefused(f"Nothing can be stored in {folder.parent}: {error.strerror}.") from error
    try:
        with time_limit(UPLOAD_SECONDS):
            target = _Target(beside)
            for name, content in uploads:
                _store_one(name, content, target)
        beside.replace(folder)
    except TimedOut as error:
        raise UploadRefused("Unpacking it takes too long; unpack it yourself and open the folder.") from error
    except OSError as error:
        raise UploadRefused(f"It cannot be stored in {folder.parent}: {error.strerror or error}.") from error
    finally:
        shutil.rmtree(beside, ignore_errors=True)
    return Unpacked(folder, target.files, target.bytes, tuple(target.left_out))


def _store_one(name: str, content: BinaryIO, target: "_Target") -> None:
    try:
        is_archive = name.lower().endswith(".zip") or zipfile.is_zipfile(content)
        content.seek(0)
        if is_archive:
            _unpack(name, content, target)
        else:
            target.add(name.replace("\\", "/").rpartition("/")[2], _chunks(content))
    except (zipfile.BadZipFile, zlib.error, struct.error, EOFError, ValueError, RuntimeError) as error:
        raise UploadRefused(f"{_shown(name)} cannot be unpacked: {one_line(str(error))}.") from error


class _Counted(io.RawIOBase):
    """An archive that counts what is read of it, and refuses to be read in one piece."""

    def __init__(self, file: BinaryIO, name: str) -> None:
        self._file, self._name, self.read_bytes = file, name, 0

    def read(self, size: int = -1) -> bytes:
        found = self._file.read(min(size, ARCHIVE_READ_BYTES) if size >= 0 else ARCHIVE_READ_BYTES)
        if size > ARCHIVE_READ_BYTES and len(found) == ARCHIVE_READ_BYTES:
            raise UploadRefused(f"{_shown(self._name)} lists more files than the {UPLOAD_FILES:,} that are unpacked.")
        self.read_bytes += len(found)
        return found

    def seek(self, offset: int, whence: int = os.SEEK_SET) -> int:
        return self._file.seek(offset, whence)

    def tell(self) -> int:
        return self._file.tell()

    def seekable(self) -> bool:
        return True

    def readable(self) -> bool:
        return True


class _Target:
    """The folder that is filled, with what is in it so far."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.files, self.bytes = folder, 0, 0
        self.left_out: list[str] = []

    def leave_out(self, name: str, why: str) -> None:
        self.left_out.append(f"{_shown(name)} was left out: {why}.")

    def add(self, name: str, chunks: Iterable[bytes]) -> None:
        """Store a file below the folder, unless the system cannot. Raises UploadRefused beyond a bound."""
        place = self.folder / name
        try:
            place.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            # Exclusively: neither a second file of this name nor anything else that lies there is written into.
            descriptor = os.open(place, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600)
        except (FileExistsError, NotADirectoryError):
            is_second = place.parent.is_dir()
            why = (
                "there is another of this name, and the first one counts"
                if is_second
                else "a file is where its folder goes"
            )
            return self.leave_out(name, why)
        except (OSError, ValueError) as error:  # too long a name, or one that this system does not take
            return self.leave_out(name, f"it cannot be stored ({one_line(str(getattr(error, 'strerror', error)))})")
        self.files += 1
        if self.files > UPLOAD_FILES:
            os.close(descriptor)
            raise UploadRefused(f"It holds more than the {UPLOAD_FILES:,} files that are taken.")
        with os.fdopen(descriptor, "wb") as file:
            self._fill(file, chunks)
        return None

    def _fill(self, file: IO[bytes], chunks: Iterable[bytes]) -> None:
        for chunk in chunks:
            check_cancelled()
            self.bytes += len(chunk)
            if self.bytes > UPLOAD_BYTES:
                raise UploadRefused(
                    f"It unpacks to more than the {size_in_words(UPLOAD_BYTES)} that are taken; open the folder itself."
                )
            file.write(chunk)


def _unpack(name: str, content: BinaryIO, target: _Target) -> None:
    counted = _Counted(content, name)
    with zipfile.ZipFile(counted) as archive:
        entries = archive.infolist()
        _check_honest(name, entries)
        for entry in entries:
            check_cancelled()
            if _spelled(entry).endswith("/"):  # a folder
                continue
            place = _place_in(name, entry)
            if why := _not_stored(entry, place):
                target.leave_out(entry.orig_filename, why)
                continue
            target.add(str(place), _unpacked(archive, entry, counted, target))


def _check_honest(name: str, entries: list[zipfile.ZipInfo]) -> None:
    """Refuse before anything is written what says of itself that it is too much, or leaves its folder."""
    if len(entries) > UPLOAD_FILES:
        raise UploadRefused(f"{_shown(name)} holds {len(entries):,} files; up to {UPLOAD_FILES:,} are unpacked.")
    if (size := sum(entry.file_size for entry in entries)) > UPLOAD_BYTES:
        raise UploadRefused(
            f"{_shown(name)} unpacks to {size_in_words(size)}; up to {size_in_words(UPLOAD_BYTES)} are taken."
        )
    for entry in entries:
        _place_in(name, entry)


def _place_in(name: str, entry: zipfile.ZipInfo) -> PurePosixPath:
    """Where an entry goes, relative to the folder. Raises UploadRefused for one that goes elsewhere."""
    words = _spelled(entry)
    place = PurePosixPath(words)
    is_outside = place.is_absolute() or ".." in place.parts or words[1:2] == ":" or "\0" in words
    if is_outside:
        raise UploadRefused(f"{_shown(name)} is refused: {_shown(words)} in it would be stored outside of its folder.")
    return place


def _spelled(entry: zipfile.ZipInfo) -> str:
    """The name of an entry; archives made on Windows may have backslashes in it."""
    return entry.orig_filename.replace("\\", "/")


def _not_stored(entry: zipfile.ZipInfo, place: PurePosixPath) -> str:
    """Why an entry is not stored; empty for one that is."""
    mode = entry.external_attr >> 16
    if stat.S_IFMT(mode) not in (0, stat.S_IFREG):
        return "it is a link, or no file at all"
    if entry.flag_bits & _ENCRYPTED:
        return "it is encrypted"
    if entry.compress_type not in _METHODS:
        return "it is packed in another way than zip archives usually are"
    if len(place.parts) > UPLOAD_DEPTH:
        return f"it lies more than {UPLOAD_DEPTH} folders deep"
    if place.name.lower().endswith(_ARCHIVES):
        return "it is an archive itself; unpack it yourself"
    return ""


def _unpacked(archive: zipfile.ZipFile, entry: zipfile.ZipInfo, counted: _Counted, target: _Target) -> Iterator[bytes]:
    """The content of an entry. Raises UploadRefused where it is much larger than what is packed."""
    with archive.open(entry) as file:
        for chunk in _chunks(file):
            yield chunk
            if target.bytes > UPLOAD_FREE_BYTES + UPLOAD_RATIO * counted.read_bytes:
                raise UploadRefused(
                    f"It is refused: {_shown(entry.filename)} in it unpacks to more than {UPLOAD_RATIO} times its size."
                )


def _chunks(file: IO[bytes]) -> Iterator[bytes]:
    while chunk := file.read(_CHUNK_BYTES):
        yield chunk


def _shown(name: str) -> str:
    words = one_line(name)
    return words if len(words) <= _MOST_LETTERS else f"{words[:_MOST_LETTERS]}…"
