"""The process file of a run: shows which process writes it, as no copied or forged status.json can.

A training holds it open as long as it lives: a file of mode 600 that names the run and the process. A process proves
itself by having this very file (device and inode) among its open files: a copy is another file, and nobody else can
make a process of ours open one.
"""

import json
import os
import stat
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path

import orjson

from diagnostics.runlog.process import ProcessIdentity
from diagnostics.told import told

PROCESS_FILE = "process.json"
_MODE = 0o600
_LONGEST = 4096  # bytes
_OPEN_FILES = "/proc/{}/fd"


class NotProven(Exception):  # noqa: N818 - named for what the process is
    """Nothing shows that a process writes this run; the message is a clause that says what was found instead."""


class ProcessFile:
    """Held open by the process that writes a run, until `close` or the process's end."""

    def __init__(self, directory: Path, run_id: str, process: ProcessIdentity) -> None:
        """The caller has claimed the run: a file that is there is a dead process's. Raises OSError."""
        self._path = directory / PROCESS_FILE
        self._path.unlink(missing_ok=True)
        self._file = os.open(self._path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, _MODE)
        try:
            os.write(self._file, orjson.dumps({"run_id": run_id, **asdict(process)}))
        except OSError:
            self.close()
            raise

    def close(self) -> None:
        """Remove the file, unless the folder was replaced meanwhile and holds another run's."""
        with suppress(OSError):
            if os.path.samestat(os.fstat(self._file), self._path.lstat()):
                self._path.unlink()
        os.close(self._file)


def check_proof(directory: Path, run_id: str, process: ProcessIdentity) -> None:
    """Check that this living process writes the run with this id in this directory. Raises NotProven."""
    path = directory / PROCESS_FILE
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    except OSError as error:
        raise NotProven(told("{path} cannot be opened: {problem}", path=path, problem=error.strerror)) from error
    with os.fdopen(descriptor, "rb") as file:
        found = os.fstat(descriptor)
        _check_private(path, found)
        if _content(file.read(_LONGEST)) != {"run_id": run_id, **asdict(process)}:
            raise NotProven(told("{path} names another run or process", path=path))
    if not any(os.path.samestat(found, opened) for opened in _open_files(process.pid)):
        raise NotProven(told("process {pid} does not hold {path} open", pid=process.pid, path=path))


def _check_private(path: Path, found: os.stat_result) -> None:
    is_ours = stat.S_ISREG(found.st_mode) and found.st_uid == os.geteuid() and found.st_nlink == 1
    if not is_ours or stat.S_IMODE(found.st_mode) != _MODE:
        raise NotProven(told("{path} is not a regular file of yours with mode 600", path=path))


def _content(text: bytes) -> object:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def _open_files(pid: int) -> Iterator[os.stat_result]:
    """The files that a process has open; raises NotProven where the system does not tell."""
    try:
        yield from _open_files_of_linux(pid) if Path(_OPEN_FILES.format(pid)).exists() else _open_files_elsewhere(pid)
    except PermissionError as error:
        raise NotProven(told("the system does not tell which files process {pid} holds open", pid=pid)) from error


def _open_files_of_linux(pid: int) -> Iterator[os.stat_result]:
    with os.scandir(_OPEN_FILES.format(pid)) as entries:
        for entry in entries:
            with suppress(FileNotFoundError):  # closed meanwhile
                yield entry.stat()


def _open_files_elsewhere(pid: int) -> Iterator[os.stat_result]:
    import psutil  # noqa: PLC0415 - slow to import, and only stopping needs it

    try:
        for opened in psutil.Process(pid).open_files():
            with suppress(OSError):  # removed meanwhile
                yield Path(opened.path).stat()
    except psutil.Error as error:
        raise PermissionError from error
