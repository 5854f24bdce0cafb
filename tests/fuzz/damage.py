"""What every kind of damage shares: what it returns, and how it picks a file."""

import random
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple


class Damaged(NamedTuple):
    """What to open after the damage, and what was done, in a few words."""

    path: Path
    what: str


Damage = Callable[[random.Random, Path], Damaged]
"""Damages the run in a folder, as a seeded source draws."""


def files_of(folder: Path, *endings: str) -> list[Path]:
    """The files of a run that are not empty, of these endings if any are given, in the order of their paths."""
    found = sorted(path for path in folder.rglob("*") if path.is_file() and path.stat().st_size)
    return [path for path in found if path.name.endswith(endings)] if endings else found


def folders_of(folder: Path) -> list[Path]:
    """The folders of a run, its own first."""
    return [folder, *sorted(path for path in folder.rglob("*") if path.is_dir())]
