"""What a project decided about its runs: limits of its own, and findings that it has looked at and muted."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date
from fnmatch import fnmatchcase


@dataclass(frozen=True, slots=True)
class Mute:
    """A decision not to be told of a finding again.

    `finding` is the name of a rule or a cause; `run` a pattern of run names, as in a shell, empty for every run;
    `until` the last day on which it holds, None for good.
    """

    finding: str
    reason: str
    run: str = ""
    until: date | None = None

    def holds(self, run: str, today: date) -> bool:
        """Whether it applies to a run of this name on this day."""
        return fnmatchcase(run, self.run or "*") and (self.until is None or today <= self.until)


@dataclass(frozen=True, slots=True)
class Project:
    """Limits by rule and field, and mutes; `source` is the file that holds them, `problem` why it cannot be used."""

    source: str = ""
    limits: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    mutes: tuple[Mute, ...] = ()
    problem: str = ""


NO_PROJECT = Project()
