"""How long the trainer waited for samples in each step, as logged or from its idle share."""

from dataclasses import replace

import numpy as np

from diagnostics.model.run import Run
from diagnostics.model.series import NO_VALUES, Series


def seconds_waited(run: Run, step_time: Series) -> Series | None:
    """The seconds of a step in which the trainer waited, where generation overlaps with training; None where they take
    turns."""
    logged, idle = run.get("rollout_wait_time"), run.get("idle_fraction")
    if logged is not None or idle is None:
        return logged
    shared, its, whole = np.intersect1d(idle.steps, step_time.steps, assume_unique=True, return_indices=True)
    return replace(idle, steps=shared, values=idle.values[its] * step_time.values[whole], times=NO_VALUES)
