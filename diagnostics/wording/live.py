"""A run that is being trained, in words: how long it will take, and how long it has been silent."""

from diagnostics.model.run import Run
from diagnostics.model.status import LIVE_STATES
from diagnostics.wording.times import duration

_SILENT_AFTER = 60.0  # seconds without a new step


def time_left(run: Run) -> str:
    """ "2 min left" at the pace so far; empty where the run has ended, or the pace or the total is unknown."""
    longest = max(run.series.values(), key=lambda series: len(series.times), default=None)
    if run.status.state != "running" or not run.status.total or longest is None or len(longest.times) < 2:
        return ""
    steps = int(longest.steps[-1] - longest.steps[0])
    pace = float(longest.times[-1] - longest.times[0]) / max(steps, 1)
    return f"{duration(pace * max(run.status.total - int(longest.steps[-1]), 0))} left"


def silence(run: Run, now: float) -> str:
    """ "no new data for 12 min" for a run that should be writing and has not for a minute; else empty."""
    newest = run.newest_time
    if newest is None or run.status.state not in (*LIVE_STATES, "silent") or now - newest < _SILENT_AFTER:
        return ""
    return f"no new data for {duration(now - newest)}"
