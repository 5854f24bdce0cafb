"""A run that is being trained, in words: how long it will take, and how long it has been silent."""

from diagnostics.language import _
from diagnostics.model.run import Run
from diagnostics.model.status import LIVE_STATES
from diagnostics.wording.times import duration

_SILENT_AFTER = 60.0  # seconds without a new step
_STEPS_OF_PATIENCE = 3.0  # at the pace so far, where steps take longer than that


def time_left(run: Run) -> str:
    """ "2 min left" at the pace so far; empty where the run does not train, or the pace or total is unknown."""
    seconds = seconds_left(run)
    return "" if seconds is None else _("{duration} left").format(duration=duration(seconds))


def seconds_left(run: Run) -> float | None:
    """How long a run that trains will take at the pace so far; None where it does not train, or that is unknown."""
    pace, last = seconds_per_step(run), run.last_step
    is_training = run.status.state == "running" and run.status.suspended is None
    if not is_training or not run.status.total or pace is None or last is None:
        return None
    return pace * max(run.status.total - last, 0)


def seconds_per_step(run: Run) -> float | None:
    """The pace so far, by the times of the logged rows; None for a log with fewer than two of them."""
    longest = max(run.series.values(), key=lambda series: len(series.times), default=None)
    if longest is None or len(longest.times) < 2:
        return None
    steps = int(longest.steps[-1] - longest.steps[0])
    return float(longest.times[-1] - longest.times[0]) / max(steps, 1)


def silence(run: Run, now: float) -> str:
    """Why nothing new comes of a run that should be writing, once that is so for a minute or three steps; else empty.

    "suspended: kill -CONT 123 lets its process go on", "no step for 12 min, though its process lives" or, where no
    process can be judged, "no new data for 12 min". Rule RV108 judges when that has become a hang.
    """
    if run.status.suspended is not None:
        pid = run.status.suspended
        return _("suspended: {command} lets its process go on").format(command=f"kill -CONT {pid}")
    newest = run.newest_time
    if newest is None or run.status.state not in (*LIVE_STATES, "silent") or now - newest < _patience(run):
        return ""
    if run.status.is_ours:
        return _no_step(run, now - newest, now)
    return _("no new data for {duration}").format(duration=duration(now - newest))


def _no_step(run: Run, seconds: float, now: float) -> str:
    """The heartbeat is apart from the steps: a process that lives without one cannot write, or hangs as a whole."""
    unwritten = now - (run.status.last_written or now)
    if unwritten < _SILENT_AFTER:
        return _("no step for {duration}, though its process lives").format(duration=duration(seconds))
    return _("no step for {duration} and no heartbeat for {silence}, though its process lives").format(
        duration=duration(seconds), silence=duration(unwritten)
    )


def _patience(run: Run) -> float:
    longest = max(run.series.values(), key=lambda series: len(series.times), default=None)
    if longest is None or len(longest.times) < 2:
        return _SILENT_AFTER
    pace = float(longest.times[-1] - longest.times[0]) / (len(longest.times) - 1)
    return max(_SILENT_AFTER, _STEPS_OF_PATIENCE * pace)
