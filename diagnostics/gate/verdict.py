"""The verdict of a gate: its checks, each passed, failed or unsure, and what they rest on."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Literal

from diagnostics.gate.intervals import Interval

Group = Literal["run", "metric", "ratio", "finding", "first step"]


class State(StrEnum):
    """What became of a check. Unsure: nothing that was measured decides it."""

    PASSED = "passed"
    FAILED = "failed"
    UNSURE = "unsure"


@dataclass(frozen=True, slots=True)
class Check:
    """One thing that was demanded. `run` is the candidate that it is about, None where it is about all of them.

    candidate, baseline: the means over the runs · interval: of their difference, ratio or mean · limit: what it was
    held to.
    """

    group: Group
    name: str
    state: State
    message: str
    run: Path | None = None
    candidate: float | None = None
    baseline: float | None = None
    interval: Interval | None = None
    limit: float | None = None


@dataclass(frozen=True, slots=True)
class GateVerdict:
    """All checks of a gate. `rate` is the probability with which one bound fails by chance."""

    checks: tuple[Check, ...]
    candidates: tuple[Path, ...]
    baselines: int
    steps: tuple[int, int]
    false_fail_rate: float
    rate: float

    @property
    def state(self) -> State:
        """Failed where one check is; else unsure where one is; else passed."""
        found = {check.state for check in self.checks}
        return next((state for state in (State.FAILED, State.UNSURE) if state in found), State.PASSED)

    def of_state(self, state: State) -> Sequence[Check]:
        """The checks of which this became."""
        return [check for check in self.checks if check.state is state]
