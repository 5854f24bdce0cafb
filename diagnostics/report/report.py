"""What one command reports: diagnoses, and paths that could not be read."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from diagnostics.comparison import Comparison
from diagnostics.model.diagnosis import Diagnosis
from diagnostics.model.outcome import Severity


@dataclass(frozen=True, slots=True)
class Problem:
    """A path that could not be read, and the sentence that says why."""

    path: str
    error: str


@dataclass(frozen=True, slots=True)
class Report:
    """The diagnoses of one command, in the order of its paths, and the paths that could not be read.

    `comparisons` are those of relaunched runs with their parents, by the relaunched run's path.
    """

    diagnoses: tuple[Diagnosis, ...] = ()
    problems: tuple[Problem, ...] = ()
    comparisons: Mapping[Path, Comparison] = field(default_factory=dict)

    @property
    def worst(self) -> Severity | None:
        """The worst severity that fired in any run."""
        found = [outcome.severity for diagnosis in self.diagnoses for outcome in diagnosis.fired if outcome.severity]
        return max(found, key=lambda severity: severity.rank, default=None)
