"""A boundary: the folders that are shown, and nothing that lies or leads outside of them."""

import os
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Self

from diagnostics.addresses import shown
from diagnostics.api import RunRef, UnreadableRun
from diagnostics.foreign_files.confinement import is_below

_MOST_LETTERS = 200  # of a refused path that are repeated


class OutsideFolders(UnreadableRun):
    """A path is not below the folders shown; the sentence says which these are, and not whether the path exists."""


@dataclass(frozen=True, slots=True)
class Boundary:
    """Folders, and what really lies in them once every link has been followed."""

    folders: tuple[Path, ...]
    roots: tuple[str, ...]
    """The folders with their own links followed."""

    @classmethod
    def around(cls, folders: Iterable[Path]) -> Self:
        """The boundary of these folders, or of files that hold runs."""
        folders = tuple(folders)
        return cls(folders, tuple(map(os.path.realpath, folders)))

    def holds(self, path: str | Path) -> bool:
        """Whether a path really lies in one of the folders; it need not exist."""
        try:
            return is_below(os.path.realpath(path), self.roots)
        except (OSError, ValueError):  # a null character, or a name that no file can have
            return False

    def holds_run(self, ref: RunRef) -> bool:
        """Whether all logs of a run lie inside; a run named by one of its files lies in that file's folder."""
        paths = [path for member in (ref, *ref.parts) for path in (member.path, *member.files)]
        named = {os.path.dirname(root) for root in self.roots if os.path.isfile(root)}  # noqa: PTH113, PTH120 - of text
        return all(self.holds(path) or os.path.realpath(path) in named for path in paths)

    def check(self, path: str) -> None:
        """Raise OutsideFolders unless the path may be opened."""
        if not self.holds(path):
            raise self.refusal(path)

    def refusal(self, path: str | Path) -> OutsideFolders:
        """The error for a path that may not be opened."""
        words = ascii(str(path))[1:-1] if not str(path).isprintable() else str(path)
        named = words if len(words) <= _MOST_LETTERS else f"{words[:_MOST_LETTERS]}…"
        return OutsideFolders(
            Path(), f"{named} is not below the folders that this page shows ({', '.join(map(shown, self.folders))})"
        )
