"""The time budget of a run: the seconds of every logged step, by stage, and what no stage accounts for."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from diagnostics.model.run import Run
from diagnostics.model.series import Series, Steps, Values
from diagnostics.time_budget.stages import OF_ROLLOUTS, OTHER, STAGES, WAIT, Stage
from diagnostics.time_budget.waiting import seconds_waited

REGULAR = 0.9  # of the steps between its first point and its last: what is logged less often happens now and then


@dataclass(frozen=True, slots=True)
class TimeBudget:
    """The seconds of N steps.

    step_seconds (N,) is the whole step · seconds maps each timed stage of the trainer's step, and `other`, to (N,)
    seconds; NaN where the log has a gap · beside maps what rollout workers do meanwhile to (N,) seconds; it is empty
    where nothing overlaps · excess (N,) is how much longer than the step its stages are together, 0 where they fit ·
    backpressure (N,) are the seconds of a step in which the workers waited for room; None where that is not logged.
    """

    steps: Steps
    step_seconds: Values
    seconds: Mapping[str, Values]
    beside: Mapping[str, Values]
    excess: Values
    backpressure: Values | None

    @property
    def is_overlapping(self) -> bool:
        """Whether the trainer trains while others generate, and waits for them where it must."""
        return WAIT in self.seconds

    @property
    def known(self) -> npt.NDArray[np.bool_]:
        """(N,) Where the whole step and each of its stages are known."""
        return np.isfinite(_total([self.step_seconds, *self.seconds.values()]))

    def mean(self, values: Values) -> float:
        """The mean seconds over the steps that are known in whole; NaN without one."""
        return float(values[self.known].mean()) if self.known.any() else float("nan")

    @property
    def mean_step(self) -> float:
        """The mean seconds of a step."""
        return self.mean(self.step_seconds)

    @property
    def shares(self) -> Mapping[str, float]:
        """Each stage's share of the time of all steps, largest first; more than 1 in all where stages overlap."""
        found = {name: self.mean(values) / self.mean_step for name, values in self.seconds.items()}
        return dict(sorted(found.items(), key=lambda item: -item[1]))

    @property
    def overlap(self) -> float:
        """How much longer the stages are together than the steps, as a share of these."""
        return self.mean(self.excess) / self.mean_step


def time_budget(run: Run) -> TimeBudget | None:
    """The budget of a run; None where no step is known with a part of it."""
    step = run.get("step_time")
    if step is None:
        return None
    timed = {stage.name: values for stage in STAGES if (values := _seconds(stage, run, step)) is not None}
    is_beside = OF_ROLLOUTS if WAIT in timed else frozenset[str]()
    inside = {name: values for name, values in timed.items() if name not in is_beside}
    if not inside:
        return None
    whole = _at(step, step.steps)
    left = whole - _total(inside.values())
    pressure = run.get("backpressure_time")
    budget = TimeBudget(
        steps=step.steps,
        step_seconds=whole,
        seconds={**inside, OTHER: np.maximum(left, 0.0)},
        beside={name: values for name, values in timed.items() if name in is_beside},
        excess=np.maximum(-left, 0.0),
        backpressure=None if pressure is None or pressure.caveat else _at(pressure, step.steps),
    )
    return budget if budget.mean_step > 0 else None


def _seconds(stage: Stage, run: Run, step: Series) -> Values | None:
    """(N,) The seconds of a stage at each step; None where nothing times it."""
    for group in stage.timed_by:
        found = [series for name in group if (series := run.get(name)) is not None]
        if found:
            return _total(_at(series, step.steps) for series in found)
    waited = seconds_waited(run, step) if stage.name == WAIT else None
    return None if waited is None else _at(waited, step.steps)


def _total(parts: Iterable[Values]) -> Values:
    return np.asarray(np.sum(list(parts), axis=0))


def _at(series: Series, steps: Steps) -> Values:
    """(N,) The values at these steps; where there is none, NaN for a gap, 0 for what happens only now and then."""
    values = np.full(len(steps), 0.0 if _is_occasional(series, steps) else np.nan)
    _, mine, its = np.intersect1d(steps, series.steps, assume_unique=True, return_indices=True)
    values[mine] = np.where(series.finite, series.values, np.nan)[its]
    return values


def _is_occasional(series: Series, steps: Steps) -> bool:
    spanned = np.searchsorted(steps, series.steps[-1], side="right") - np.searchsorted(steps, series.steps[0])
    return bool(len(series) < REGULAR * max(spanned, 1) or len(series) == 1 < len(steps))
