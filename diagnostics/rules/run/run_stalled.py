"""The run hangs: its process is alive, but no step has ended for far longer than steps take.

What it checks
    The time since the last logged point of a run that is known to be alive: ten median distances between the latest
    1000 logged points, and at least half an hour, is critical. Where all that is known is that the log fell silent
    within the last day, short of its planned steps, it is a warning: the run hangs, or was killed.

Why it matters
    A collective call waits for a dead process, or a rollout engine or reward server does not answer: all devices stay
    occupied without working until somebody looks.

When it is wrong
    An evaluation or a checkpoint that takes longer than ten steps is not a stall; neither is the compilation before the
    first step, which is not judged. A log that has been silent for more than a day counts as ended.

What to try
    A suspended process goes on after `kill -CONT`. Else find out where the processes wait (`py-spy dump`), restart from
    the last checkpoint, give every wait a timeout.

References
    Amazon SageMaker Debugger, StalledTrainingRule: 1800 seconds.
"""

import numpy as np

from diagnostics.detectors.episodes import Episode
from diagnostics.model.outcome import Severity
from diagnostics.model.run import Run
from diagnostics.model.series import Series
from diagnostics.rules.limits import RuleLimits, limit
from diagnostics.rules.rule import Quiet, RuleResult, Skipped, english
from diagnostics.rules.run.run_rule import RunRule

ENDED = frozenset({"finished", "stopped", "failed", "died", "queued"})
JUDGED = frozenset({"running", "silent"})
LATEST = 1000  # points whose intervals count: how long steps took long ago says little about the next


class Limits(RuleLimits):
    """How long a step may take."""

    times: float = limit(10.0, "× the median time between logged points", "engineering default")
    seconds: float = limit(1800.0, "s", "SageMaker StalledTrainingRule")
    ended: float = limit(86400.0, "s", "engineering default: who has been silent for a day has ended")
    fewest: int = limit(3, "logged points", "fewer give no usual distance")


class RunStalled(RunRule[Limits]):
    """Judges the time since the newest point against the moment at which the run was read."""

    code = "RV108"
    name = "run-stalled"
    grade = "D"
    source = "Amazon SageMaker Debugger: StalledTrainingRule"
    inputs = ()
    limits = Limits()
    remedies = ("bounded-wait", "earlier-checkpoint")
    texts = english(
        headline="The run hangs: no step has ended for a long time.",
        fired="The last step logged is {last}, {minutes} minutes before the run was read; steps take {usual} s, and "
        "the process still lives.",
        silent="The last step logged is {last} of {total}, {minutes} minutes before the run was read; steps take "
        "{usual} s. The run hangs, or was killed.",
        suspended="The last step logged is {last}, {minutes} minutes before the run was read: its process {pid} "
        "is suspended, and goes on after `kill -CONT {pid}`.",
        unknown="The log does not say whether the run still goes on.",
        enable="Read it while it trains, from a log that says when each point was written.",
    )

    def applies(self, run: Run) -> bool:
        """A run that has ended cannot hang."""
        return run.status.state not in ENDED

    def check(self, run: Run, limits: Limits) -> RuleResult:
        series = _newest_timed_series(run)
        if series is None or len(series) < limits.fewest or run.status.state not in JUDGED:
            return Skipped(self.message("unknown"), self.message("enable"))
        age = run.observed_at - float(series.times[-1])
        usual = float(np.median(np.diff(series.times[-LATEST:])))
        allowed = max(limits.seconds, limits.times * usual)
        if age < allowed or (run.status.state == "silent" and not _is_cut_short(run, age, limits)):
            return Quiet(age, allowed, "s")
        is_alive = run.status.state == "running"
        return self.fired(
            series,
            Episode(len(series) - 1, len(series) - 1, still=True),
            Severity.CRITICAL if is_alive else Severity.WARNING,
            measured=age,
            limit=allowed,
            key=_wording(run),
            unit="s",
            pid=run.status.suspended or 0,
            minutes=round(age / 60),
            usual=usual,
            total=run.status.total or 0,
        )


def _wording(run: Run) -> str:
    if run.status.suspended is not None:
        return "suspended"
    return "fired" if run.status.state == "running" else "silent"


def _newest_timed_series(run: Run) -> Series | None:
    """The series with the newest point, of those that say when their points were written."""
    logged = (series for series in run.series.values() if len(series.times))
    timed = [series for series in logged if np.isfinite(series.times[-LATEST:]).all()]
    return max(timed, key=lambda series: (float(series.times[-1]), len(series)), default=None)


def _is_cut_short(run: Run, age: float, limits: Limits) -> bool:
    step, total = run.status.step, run.status.total
    return age < limits.ended and step is not None and total is not None and step < total
