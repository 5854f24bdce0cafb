"""How long a stretch of steps took: by the clock of the logged rows, else by the step times that the log states."""

import numpy as np
import numpy.typing as npt

from diagnostics.model.cost import TrainingTime
from diagnostics.model.run import Run
from diagnostics.model.series import Series, Steps, Values

USUAL_INTERVALS, LEAST_BREAK = 10.0, 1800.0
"""From this many usual intervals and this many seconds on, nothing was trained between two rows: as of RV108."""
REWRITTEN_BELOW = 0.5
"""Of the step times: a clock that shows less is that of a copy, whose rows were written again later."""
EARLIEST, LATEST = 946_684_800.0, 4_102_444_800.0
"""The years 2000 and 2100 in seconds since the epoch: a row's time beyond them is none, or of another meaning."""


def time_of_steps(run: Run, first: int, last: int) -> TrainingTime | None:
    """The time of the steps after `first`, up to `last`; None where the log does not tell.

    The rows' clock counts what lies between steps too: evaluations, checkpoints, the wait for data. Step times replace
    it where rows have none, or where it shows that they were written again later.
    """
    by_clock, by_step_time = _by_clock(run, first, last), _by_step_time(run, first, last)
    if by_clock is None or by_step_time is None:
        return by_clock or by_step_time
    return by_step_time if by_clock.seconds < REWRITTEN_BELOW * by_step_time.seconds else by_clock


def _by_clock(run: Run, first: int, last: int) -> TrainingTime | None:
    """The sum of the intervals between rows, without those in which nothing was trained."""
    rows = _timed_rows(run)
    if rows is None:
        return None
    intervals, distances = np.diff(rows.times), np.diff(rows.steps)
    usual = float(np.median(intervals / distances))
    trains = (intervals >= 0) & (intervals < np.maximum(LEAST_BREAK, USUAL_INTERVALS * usual * distances))
    trains &= ~_is_new_attempt(rows, run)
    lies_within = (rows.steps[:-1] >= first) & (rows.steps[1:] <= last)
    counted = trains & lies_within
    seconds = float(intervals[counted].sum())
    if not seconds:
        return None
    return TrainingTime(seconds, "rows", is_whole=int(distances[counted].sum()) == last - first)


def _timed_rows(run: Run) -> Series | None:
    """The training series with the most points that say when they were written; None where none has two.

    A known metric comes before any other tag, which may count something else than steps, such as calls.
    """
    logged = [item for item in run.series.values() if len(item.times) > 1 and not item.is_eval]
    longest = max(logged, key=lambda item: (item.metric is not None, len(item)), default=None)
    if longest is None:
        return None
    is_known = (longest.times > EARLIEST) & (longest.times < LATEST)
    if is_known.sum() < 2:
        return None
    return Series(
        longest.name,
        longest.tag,
        longest.steps[is_known],
        longest.values[is_known],
        longest.times[is_known],
        replaced_steps=longest.replaced_steps,
    )


def _is_new_attempt(rows: Series, run: Run) -> npt.NDArray[np.bool_]:
    """(N − 1,) True where a run was resumed between two rows: by its own account, or as it logged steps once more."""
    resumed = np.unique(np.asarray(run.resumed_after, dtype=np.int64))
    is_told = np.searchsorted(resumed, rows.steps[1:]) > np.searchsorted(resumed, rows.steps[:-1])
    if not run.data_health.rewinds:
        return is_told
    is_repeated = np.diff(_times_replaced(rows)) > 0
    return is_told | is_repeated


def _times_replaced(rows: Series) -> Steps:
    """(N,) how often each row was logged before."""
    replaced = np.sort(rows.replaced_steps)
    return np.searchsorted(replaced, rows.steps, "right") - np.searchsorted(replaced, rows.steps, "left")


def _by_step_time(run: Run, first: int, last: int) -> TrainingTime | None:
    """The sum of the logged step times, each for the steps since the row before, of which it is the mean."""
    logged = run.get("step_time")
    if logged is None:
        return None
    distances = np.minimum(_steps_of_rows(logged.steps), logged.steps - first)
    counted = (logged.steps > first) & (logged.steps <= last) & logged.finite & (logged.values >= 0)
    seconds: Values = logged.values[counted] * distances[counted]
    if not seconds.any():
        return None
    return TrainingTime(float(seconds.sum()), "step_time", is_whole=int(distances[counted].sum()) == last - first)


def _steps_of_rows(steps: Steps) -> Steps:
    """(N,) for how many steps each row stands: those since the row before, but no more than usual."""
    distances = np.diff(steps)
    usual = int(np.median(distances)) if len(distances) else 1
    found: Steps = np.minimum(np.concatenate([[usual], distances]), usual)
    return found
