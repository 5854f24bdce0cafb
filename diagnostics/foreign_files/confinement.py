"""Confinement of a process: a name in one of the folders that it shows opens nothing outside of them.

A link in a run's folder may lead anywhere; whoever sees the page would see what is there. Names outside of the folders
are not its business: they come from the process itself or its user, never from a page's address.
"""

import errno
import os
from collections.abc import Callable, Iterable
from functools import lru_cache
from pathlib import Path

Folders = Callable[[], Iterable[Path]]
_confined_to: list[Folders] = []  # at most one


class LeadsOutside(OSError):  # noqa: N818 - named for what the path does
    """A name in the folders shown leads outside of them; `strerror` says so."""

    def __init__(self, path: str | Path) -> None:
        super().__init__(errno.EACCES, "it leads outside of the folders shown", str(path))

    def __str__(self) -> str:
        return f"{self.filename} cannot be read: {self.strerror}"


def confine_to(folders: Folders | None) -> None:
    """Confine this process for good to the folders that the function names; None ends that."""
    _confined_to[:] = [folders] if folders else []


def check_inside(path: str | Path, descriptor: int | None = None) -> None:
    """Raise LeadsOutside if a name in the folders shown leads outside of them; free if the process is not confined.

    Args:
        descriptor: The open file, if it is open: then it cannot be replaced between this look and the reading.
    """
    for folders in _confined_to:
        names, places = _shown(tuple(map(str, folders())))
        if is_below(os.path.abspath(path), names) and not is_below(_real_path(path, descriptor), places):  # noqa: PTH100
            raise LeadsOutside(path)


@lru_cache(maxsize=8)
def _shown(folders: tuple[str, ...]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The names that lie in the folders begin with one of the first; what really lies in them, with the second."""
    places = tuple(map(os.path.realpath, folders))
    return (*map(os.path.abspath, folders), *places), places


def _real_path(path: str | Path, descriptor: int | None) -> str:
    if descriptor is not None:
        try:
            return os.readlink(f"/proc/self/fd/{descriptor}")  # noqa: PTH115 - of text
        except OSError:  # no Linux
            pass
    return os.path.realpath(path)


def is_below(path: str, folders: Iterable[str]) -> bool:
    """Whether a path is one of the folders or below one, by their names alone."""
    return any(path == folder or path.startswith(folder.rstrip(os.sep) + os.sep) for folder in folders)
