"""Readers: one file per log format, behind one table that loads a format's module when a run of it is met."""

import importlib
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Protocol, cast

from diagnostics.run import Recording


@dataclass(frozen=True, slots=True)
class Format:
    """One log format: `mark` is the file name (a glob pattern) that gives a folder of this format away.

    `module` holds its `Reader` and its `runs_in`; `install` says what to install where the format needs a library that
    the base install lacks.
    """

    name: str
    title: str
    mark: str
    module: str
    install: str = ""
    has_runs_below: bool = False  # whether folders below one with this mark may be runs of their own

    def marks(self, file_name: str) -> bool:
        """Whether a file of this name belongs to this format."""
        return fnmatchcase(file_name, self.mark)


FORMATS: tuple[Format, ...] = (
    Format("rlvitals", "Run directory of rlvitals", "run.json", "diagnostics.readers.runlog"),
    Format(
        "tensorboard",
        "TensorBoard event files",
        "events.out.tfevents.*",
        "diagnostics.readers.tensorboard",
        has_runs_below=True,
    ),
)
"""Every format; where a folder bears the marks of several, the first one counts."""


@dataclass(frozen=True, slots=True)
class RunRef:
    """A run that was found and not read yet."""

    path: Path
    format: str
    name: str


class UnreadableRun(Exception):  # noqa: N818 - named for what the path is
    """A path cannot be read as a run; `sentence` says what was looked for, what was found and what to do."""

    def __init__(self, path: Path, sentence: str) -> None:
        super().__init__(sentence)
        self.path = path
        self.sentence = sentence


class Reader(Protocol):
    """Reads one run of one format, and what it gains while it grows; no byte is read twice."""

    def refresh(self) -> Recording:
        """All that the run holds by now; the object of the last call when nothing changed. Raises UnreadableRun."""
        ...


class FormatModule(Protocol):
    """What a format's module offers."""

    def Reader(self, path: Path) -> Reader:
        """A reader of the run at this path: one of those that `runs_in` names."""
        ...

    def runs_in(self, folder: Path) -> tuple[RunRef, ...]:
        """The runs that a folder with this format's mark holds: the folder itself, or files in it."""
        ...


def load(form: Format) -> FormatModule:
    """The module of a format. Raises ImportError with the install sentence where its library is missing."""
    try:
        return cast(FormatModule, importlib.import_module(form.module))
    except ImportError as error:
        raise ImportError(form.install or str(error)) from error
