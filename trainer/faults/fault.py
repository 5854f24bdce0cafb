"""The definition of a fault: the values that make a training sick, the true cause to diagnose, and its sign."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

Row = Mapping[str, Any]
Relation = Literal["above", "below", "nan"]


@dataclass(frozen=True, slots=True)
class Sign:
    """A logged metric that distinguishes the sick run from the healthy one.

    `limit` bounds the mean over the last steps of the sick run or, if `against_healthy`, its difference from the
    healthy run's mean over the same steps, for faults that show only in what fails to happen.
    """

    metric: str
    relation: Relation
    limit: float = 0.0
    against_healthy: bool = False

    def is_present(self, sick: float, healthy: float) -> bool:
        """Whether the means over the last steps of the sick and the healthy run show the fault."""
        value = sick - (healthy if self.against_healthy else 0.0)
        if self.relation == "nan":
            return math.isnan(value)
        return value > self.limit if self.relation == "above" else value < self.limit

    def __str__(self) -> str:
        if self.relation == "nan":
            return "is NaN"
        reference = " against the healthy run" if self.against_healthy else ""
        return f"{self.relation} {self.limit:g}{reference}"


@dataclass(frozen=True, slots=True)
class Case:
    """A fault on one demo task with one algorithm: the values that change, and the sign to look for.

    The sign shows within `steps` steps of the onset. `rows` alters the prompts, for faults of the data.
    """

    algorithm: str
    task: str
    values: Mapping[str, Any]
    sign: Sign
    steps: int = 20
    rows: Callable[[Sequence[Row]], list[Row]] | None = None


@dataclass(frozen=True, slots=True)
class Fault:
    """A named fault.

    `cause` is the id of the true cause, `rules` the ids of the rules that may rightly fire. `setting` holds the values
    without which the fault cannot happen: they are in force from the start, so that the log shows them healthy as well.
    """

    name: str
    title: str
    does: str
    cause: str
    rules: tuple[str, ...]
    cases: tuple[Case, ...]
    setting: Mapping[str, Any] = field(default_factory=dict)

    def case(self, algorithm: str, task: str) -> Case | None:
        """The fault's case for an algorithm on a demo task, if it has one."""
        return next((case for case in self.cases if (case.algorithm, case.task) == (algorithm, task)), None)

    def task_for(self, algorithm: str) -> str | None:
        """The first demo task that the fault supports with this algorithm, if any."""
        return next((case.task for case in self.cases if case.algorithm == algorithm), None)
