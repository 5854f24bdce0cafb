"""The occasion of a reward function's call: what TRL's GRPO tells it beside prompts, completions and columns.

These are `trainer_state`, which says how far the training is, and `log_extra` and `log_metric`, by which it can leave
more in the log than rewards. `completion_ids` comes as a column.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from statistics import fmean
from typing import Any


@dataclass(frozen=True, slots=True)
class TrainerState:
    """How far a training is; its fields are among those of transformers' class of this name."""

    global_step: int
    """Steps that are done: 0 while the first one's completions are scored."""
    max_steps: int


@dataclass(slots=True)
class Notes:
    """What reward functions leave in the log of a step beside their rewards, for B completions."""

    metrics: dict[str, list[float]] = field(default_factory=dict)
    """Name → its values, whose mean is logged."""
    columns: dict[str, list[Any]] = field(default_factory=dict)
    """Name → B values, which go to the samples."""

    def __bool__(self) -> bool:
        return bool(self.metrics or self.columns)

    def log_metric(self, name: str, value: float) -> None:
        """Log a number with the step's metrics: the mean where it comes several times, or from several processes.

        A name that the trainer itself logs under stays the trainer's.
        """
        self.metrics.setdefault(name, []).append(float(value))

    def log_extra(self, column: str, values: Sequence[Any]) -> None:
        """Write one value with each completion; what is no number, text, truth value or None is written as a text."""
        self.columns[column] = [v if v is None or isinstance(v, str | int | float) else str(v) for v in values]

    def means(self) -> dict[str, float]:
        """The metrics as they are logged."""
        return {name: fmean(values) for name, values in self.metrics.items()}

    def of_completion(self, index: int) -> dict[str, Any]:
        """The values of the columns for one completion."""
        return {column: values[index] for column, values in self.columns.items()}


def joined_notes(parts: Sequence[Notes], rows: int) -> Notes:
    """The notes of all processes, each of which scored `rows` completions; None where one of them lacks a column."""
    columns = {column: None for part in parts for column in part.columns}
    names = {name: None for part in parts for name in part.metrics}
    return Notes(
        {name: [value for part in parts for value in part.metrics.get(name, ())] for name in names},
        {column: [v for part in parts for v in part.columns.get(column, [None] * rows)] for column in columns},
    )


@dataclass(frozen=True, slots=True)
class CallContext:
    """One call, or where several functions score the same completions, their calls."""

    trainer_state: TrainerState = TrainerState(global_step=0, max_steps=1)
    notes: Notes = field(default_factory=Notes)

    def arguments(self) -> Mapping[str, Any]:
        """What a function that names it is given."""
        return {
            "trainer_state": self.trainer_state,
            "log_extra": self.notes.log_extra,
            "log_metric": self.notes.log_metric,
        }
