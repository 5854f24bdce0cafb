"""The run hangs: its process is alive, but no step has ended for far longer than steps take.

What it checks
    The time since the last logged point of a run that is known to be alive: ten median distances between the latest
    1000 logged points, and at least half an hour, is critical. Where all that is known is that the log fell silent
    within the last day, short of its planned steps, it is a warning: the run hangs, or was killed. So it is where a
    log has no times, but its console fell silent after lines that name a hang. Beside it stand when the console and the
    samples were last written, what the process does, and what the last lines printed name: a reward function, NCCL's
    watchdog with rank, operation and seconds, a server, an engine.

Why it matters
    A collective call waits for a dead process, or a rollout engine or reward server does not answer: all devices stay
    occupied without working until somebody looks.

When it is wrong
    An evaluation or a checkpoint that takes longer than ten steps is not a stall; neither is the compilation before the
    first step, which is not judged. A log that has been silent for more than a day counts as ended, unless its process
    is known to live.

What to try
    A suspended process goes on after `kill -CONT`. Else find out where the processes wait (`py-spy dump`), restart from
    the last checkpoint, give every wait a timeout. What looks like NCCL is often one call of a reward function: the
    other processes wait for it.

References
    Amazon SageMaker Debugger, StalledTrainingRule: 1800 seconds. verl pull request 6673: a hang that looked like NCCL
    was one call of a grader.
"""

import numpy as np

from diagnostics.detectors.episodes import Episode
from diagnostics.last_words import leading_sign
from diagnostics.model.messages import Message, Value
from diagnostics.model.outcome import Severity
from diagnostics.model.run import Run
from diagnostics.model.series import Series
from diagnostics.rules.limits import RuleLimits, limit
from diagnostics.rules.rule import Fired, Quiet, RuleResult, Skipped, english
from diagnostics.rules.run.endings import NOTHING, ended, quoted, who_waited
from diagnostics.rules.run.run_rule import RunRule

ENDED = frozenset({"finished", "stopped", "failed", "died", "queued"})
JUDGED = frozenset({"running", "silent"})
ACTIVITIES = {"running": "computes", "sleeping": "waits", "disk-sleep": "waits-for-disk"}  # by psutil's word
LATEST = 1000  # points whose intervals count: how long steps took long ago says little about the next


class Limits(RuleLimits):
    """How long a step may take."""

    times: float = limit(10.0, "× the median time between logged points", "engineering default")
    seconds: float = limit(1800.0, "s", "SageMaker StalledTrainingRule")
    ended: float = limit(86400.0, "s", "engineering default: a log that has been silent for a day has ended")
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
        "the process still lives{activity}{heard}{why}.",
        silent="The last step logged is {last} of {total}, {minutes} minutes before the run was read; steps take "
        "{usual} s. The run hangs, or was killed{heard}{why}.",
        suspended="The last step logged is {last}, {minutes} minutes before the run was read: its process {pid} "
        "is suspended, and goes on after `kill -CONT {pid}`.",
        printed="The last step logged is {last}, and nothing was printed for {minutes} minutes{why}.",
        unknown="The log does not say whether the run still goes on.",
        enable="Read it while it trains, from a log that says when each point was written.",
    )

    def applies(self, run: Run) -> bool:
        """A run that has ended cannot hang."""
        return run.status.state not in ENDED

    def check(self, run: Run, limits: Limits) -> RuleResult:
        series = _newest_timed_series(run)
        if series is None or len(series) < limits.fewest or run.status.state not in JUDGED:
            return self._by_console(run, limits) or Skipped(self.message("unknown"), self.message("enable"))
        age = run.observed_at - float(series.times[-1])
        usual = float(np.median(np.diff(series.times[-LATEST:])))
        allowed = max(limits.seconds, limits.times * usual)
        if age < allowed or not _may_hang(run, age, limits):
            return Quiet(age, allowed, "s")
        return self.fired(
            series,
            Episode(len(series) - 1, len(series) - 1, still=True),
            Severity.CRITICAL if run.status.state == "running" else Severity.WARNING,
            measured=age,
            limit=allowed,
            key=_wording(run),
            unit="s",
            pid=run.status.suspended or 0,
            minutes=round(age / 60),
            usual=usual,
            total=run.status.total or 0,
            activity=Message(f"ending.{ACTIVITIES.get(run.status.activity, 'nothing')}"),
            heard=_heard(run),
            why=_why(run),
        )

    def _by_console(self, run: Run, limits: Limits) -> Fired | None:
        """The finding about a log without times whose console fell silent after lines that name a hang."""
        printed, sign = run.status.last_printed, leading_sign(run)
        if run.status.state != "silent" or printed is None or sign is None:
            return None
        age = run.observed_at - printed
        if not limits.seconds <= age < limits.ended:
            return None
        message = self.message("printed", minutes=round(age / 60), last=run.last_step or 0, why=_why(run))
        return ended(
            message,
            self.message("headline"),
            Severity.WARNING,
            step=run.last_step or 0,
            messages=sign.count,
        )


def _heard(run: Run) -> Message:
    """When it was last heard of otherwise, before it was read."""
    moments = {"printed": run.status.last_printed, "sampled": run.status.last_sampled}
    ages: dict[str, Value | Message] = {
        name: max(0, round((run.observed_at - moment) / 60)) for name, moment in moments.items() if moment
    }
    return Message(f"ending.{'heard' if len(ages) > 1 else next(iter(ages), 'nothing')}", ages)


def _why(run: Run) -> Message:
    """What its last lines name, and who only waited."""
    sign = leading_sign(run)
    if sign is None:
        return NOTHING
    values: dict[str, Value | Message] = {
        "what": sign.message,
        "text": quoted(sign),
        "bystander": who_waited(run, sign),
    }
    return Message("ending.why", values)


def _wording(run: Run) -> str:
    if run.status.suspended is not None:
        return "suspended"
    return "fired" if run.status.state == "running" else "silent"


def _newest_timed_series(run: Run) -> Series | None:
    """The series with the newest point, of those that say when their points were written."""
    logged = (series for series in run.series.values() if len(series.times))
    timed = [series for series in logged if np.isfinite(series.times[-LATEST:]).all()]
    return max(timed, key=lambda series: (float(series.times[-1]), len(series)), default=None)


def _may_hang(run: Run, age: float, limits: Limits) -> bool:
    """Whether the run goes on: its process is known, or the log fell silent lately and, if it grows no more, short of
    its plan. A log of long ago in a file that was written just now is a copy."""
    status = run.status
    if status.is_ours or status.suspended is not None:
        return True
    is_cut_short = status.step is not None and status.total is not None and status.step < status.total
    return age < limits.ended and (status.state == "running" or is_cut_short)
