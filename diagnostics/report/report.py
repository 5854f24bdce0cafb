"""What one command reports: diagnoses, and what could not be read."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from diagnostics.model.diagnosis import Diagnosis
from diagnostics.model.outcome import Severity
from diagnostics.report.since_parent import SinceParent


@dataclass(frozen=True, slots=True)
class Problem:
    """A path that could not be read, and the sentence that says why."""

    path: str
    error: str


@dataclass(frozen=True, slots=True)
class Report:
    """The diagnoses of one command, in the order of its paths, and what could not be read.

    `since` says of runs that were relaunched from another, by their path, what became of that one's findings.
    """

    diagnoses: tuple[Diagnosis, ...] = ()
    problems: tuple[Problem, ...] = ()
    since: Mapping[Path, SinceParent] = field(default_factory=dict)

    @property
    def worst(self) -> Severity | None:
        """The worst severity that fired in any run."""
        found = [outcome.severity for diagnosis in self.diagnoses for outcome in diagnosis.fired if outcome.severity]
        return max(found, key=lambda severity: severity.rank, default=None)
