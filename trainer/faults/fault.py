"""What a fault is: values that make a training sick, the true cause that a diagnosis should find, and its sign."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

Row = Mapping[str, Any]
Relation = Literal["above", "below", "nan"]


@dataclass(frozen=True, slots=True)
class Sign:
    """A logged metric that tells the sick run from the healthy one.

    `limit` bounds the mean over the last steps of the sick run. Where `against_healthy`, it bounds the difference to
    the mean over the same steps of the healthy run: for faults that show only in what does not happen.
    """

    metric: str
    relation: Relation
    limit: float = 0.0
    against_healthy: bool = False

    def shows(self, sick: float, healthy: float) -> bool:
        """Whether the mean over the last steps of the sick run, beside the healthy one's, shows the fault."""
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

    The sign is there `steps` steps after the onset. `rows` changes the prompts, for faults of the data.
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

    `cause` is the id of the true cause, `rules` the ids of the rules that are right to fire on it.
    """

    name: str
    title: str
    does: str
    cause: str
    rules: tuple[str, ...]
    cases: tuple[Case, ...]

    def case(self, algorithm: str, task: str) -> Case | None:
        """The fault's form for an algorithm on a demo task; None where it has none."""
        return next((case for case in self.cases if (case.algorithm, case.task) == (algorithm, task)), None)

    def task_for(self, algorithm: str) -> str | None:
        """The first demo task that the fault is made for with this algorithm; None where there is none."""
        return next((case.task for case in self.cases if case.algorithm == algorithm), None)
