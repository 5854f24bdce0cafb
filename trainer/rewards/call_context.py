"""The context of a reward function's call: TRL's arguments besides prompts, completions and columns.

These are `trainer_state`, the progress of the training, and `log_extra` and `log_metric`, which log more than rewards.
`completion_ids` is passed as a column.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from statistics import fmean
from typing import Any


@dataclass(frozen=True, slots=True)
class TrainerState:
    """The progress of a training, with some fields of transformers' class of this name."""

    global_step: int
    """Finished steps: 0 while the first step's completions are scored."""
    max_steps: int


@dataclass(slots=True)
class Notes:
    """What reward functions log in a step besides rewards, for B completions."""

    metrics: dict[str, list[float]] = field(default_factory=dict)
    """Name → values, whose mean is logged."""
    columns: dict[str, list[Any]] = field(default_factory=dict)
    """Name → B values, written with the samples."""

    def __bool__(self) -> bool:
        return bool(self.metrics or self.columns)

    def log_metric(self, name: str, value: float) -> None:
        """Log a number with the step's metrics, averaged over calls and processes.

        The trainer's own metrics take precedence over equal names.
        """
        self.metrics.setdefault(name, []).append(float(value))

    def log_extra(self, column: str, values: Sequence[Any]) -> None:
        """Log one value per completion; anything but numbers, text, booleans and None is converted to text."""
        self.columns[column] = [v if v is None or isinstance(v, str | int | float) else str(v) for v in values]

    def means(self) -> dict[str, float]:
        """The mean of each metric."""
        return {name: fmean(values) for name, values in self.metrics.items()}

    def of_completion(self, index: int) -> dict[str, Any]:
        """One completion's value in each column."""
        return {column: values[index] for column, values in self.columns.items()}


def joined_notes(parts: Sequence[Notes], rows: int) -> Notes:
    """The combined notes of all processes, each of which scored `rows` completions; None where one lacks a column."""
    columns = {column: None for part in parts for column in part.columns}
    names = {name: None for part in parts for name in part.metrics}
    return Notes(
        {name: [value for part in parts for value in part.metrics.get(name, ())] for name in names},
        {column: [v for part in parts for v in part.columns.get(column, [None] * rows)] for column in columns},
    )


@dataclass(frozen=True, slots=True)
class CallContext:
    """The context that all reward functions share when they score the same completions."""

    trainer_state: TrainerState = TrainerState(global_step=0, max_steps=1)
    notes: Notes = field(default_factory=Notes)

    def arguments(self) -> Mapping[str, Any]:
        """The arguments by name."""
        return {
            "trainer_state": self.trainer_state,
            "log_extra": self.notes.log_extra,
            "log_metric": self.notes.log_metric,
        }
