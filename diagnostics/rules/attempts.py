"""Attempts: where a run was taken up again, as it says itself, or as steps show that went back."""

import numpy as np

from diagnostics.model.run import Run
from diagnostics.model.series import Series


def resumptions(run: Run) -> tuple[int, ...]:
    """The last step before each resumption, in order.

    A run that does not say so shows it by steps that were logged twice. They count where they are as many stretches as
    the log goes back: a log that repeats every step has not been resumed.
    """
    told = set(run.resumed_after)
    if run.data_health.rewinds:
        most = max(run.series.values(), key=lambda series: len(series.replaced_steps), default=None)
        told |= set(_before_repeats(most, run.data_health.rewinds)) if most is not None else set()
    return tuple(sorted(told))


def _before_repeats(series: Series, rewinds: int) -> tuple[int, ...]:
    """The logged steps just before each stretch of steps that were logged again; none where the stretches do not fit
    the number of times that the log went back."""
    places = np.unique(np.searchsorted(series.steps, np.unique(series.replaced_steps)))
    starts = places[np.diff(places, prepend=-2) > 1]
    if len(starts) > rewinds:
        return ()
    return tuple(series.steps[starts[starts > 0] - 1].tolist())
