"""The cost of a sick run: what it went on to spend after its main finding first showed."""

from dataclasses import dataclass
from typing import Literal

_HOUR = 3600.0

Clock = Literal["rows", "step_time"]
"""What tells how long steps took: the times at which rows were logged, or the step times that are logged."""


@dataclass(frozen=True, slots=True)
class TrainingTime:
    """How long some steps took; at least that long where it is not `is_whole`: the time of some is unknown."""

    seconds: float
    clock: Clock
    is_whole: bool


@dataclass(frozen=True, slots=True)
class Cost:
    """What ran after the step at which a finding first showed, up to the last step at which it held.

    `is_still`: it holds at the last step of the run · `time` is None where the log tells none · `gpus` is how many the
    run occupies: 0 on a CPU, None where the log does not say.
    """

    first_step: int
    last_step: int
    is_still: bool
    time: TrainingTime | None = None
    gpus: int | None = None

    @property
    def steps(self) -> int:
        """The steps after the first one, whose own cost nobody could have saved."""
        return self.last_step - self.first_step

    @property
    def hours(self) -> float | None:
        return self.time.seconds / _HOUR if self.time else None

    @property
    def gpu_hours(self) -> float | None:
        """None without a GPU, too: a CPU has none."""
        return self.gpus * self.time.seconds / _HOUR if self.gpus and self.time else None

    @property
    def device_hours(self) -> float | None:
        """The GPU-hours; the hours of one device on a CPU, and where the number of GPUs is not known."""
        return self.hours if self.gpu_hours is None else self.gpu_hours

    @property
    def size(self) -> tuple[float, int]:
        """Orders costs: by device hours, then by steps."""
        return self.device_hours or 0.0, self.steps
