"""What a launched training is given: values as words of its command, and a free folder for its run; no torch here."""

import itertools
from pathlib import Path
from typing import Any

from diagnostics.runlog import RUN_FILE


def as_text(value: Any) -> str:
    """A value as the command line takes it back."""
    if value is None:
        return "none"
    if isinstance(value, bool):
        return str(value).lower()
    return ",".join(map(str, value)) if isinstance(value, tuple | list) else str(value)


def runs_folder(shown: Path) -> Path:
    """Where new runs go when the dashboard shows this path: into it, or beside it where it is itself a run or file."""
    return shown.parent if shown.is_file() or (shown / RUN_FILE).exists() else shown


def free_name(root: Path, stem: str) -> str:
    """The first of stem-1, stem-2, … that no folder below `root` has."""
    return next(name for number in itertools.count(1) if not (root / (name := f"{stem}-{number}")).exists())
