"""What a project decided about its runs: limits of its own, and findings that it has looked at and muted."""

import glob
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import date
from fnmatch import fnmatchcase
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Mute:
    """A decision not to be told of a finding again.

    `finding` is the name of a rule or a cause; `run` a pattern, as in a shell, of the names of runs or, where it
    begins with `./`, of their paths below the folder of the project file, empty for every run; `until` the last day on
    which it holds, None for good.
    """

    finding: str
    reason: str
    run: str = ""
    until: date | None = None

    def holds(self, names: Iterable[str], today: date) -> bool:
        """Whether it applies to a run that is called by any of these names on this day."""
        is_meant = not self.run or any(fnmatchcase(name, self.run) for name in names)
        return is_meant and (self.until is None or today <= self.until)


@dataclass(frozen=True, slots=True)
class Project:
    """Limits by rule and field, and mutes; `source` is the file that holds them, `problem` why it cannot be used."""

    source: str = ""
    limits: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    mutes: tuple[Mute, ...] = ()
    problem: str = ""

    def names_of(self, run: Path, name: str) -> tuple[str, ...]:
        """What a mute may call a run: its name, and its path below the folder of the file."""
        place = _path_below(run, Path(self.source)) if self.source else ""
        return (name, place) if place else (name,)


def pattern_of(run: Path, file: Path) -> str:
    """The pattern by which a project file means a run below its folder, and no other."""
    return glob.escape(_path_below(run, file))


def _path_below(run: Path, file: Path) -> str:
    """The path of a run below the folder of a project file, `./a`; empty where it does not lie below that."""
    folder, place = file.absolute().parent, run.absolute()
    return f"./{place.relative_to(folder).as_posix()}" if folder in place.parents else ""


NO_PROJECT = Project()
