"""The status of a run in a block of lines: its health, how far it is, how stable, how fast, and when to look next."""

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from diagnostics.model.algorithms import MAIN_REWARD
from diagnostics.model.diagnosis import Diagnosis
from diagnostics.model.finding import Finding
from diagnostics.model.messages import format_value
from diagnostics.model.outcome import Severity
from diagnostics.model.run import Run
from diagnostics.model.series import Series
from diagnostics.model.supervised import supervised_tags
from diagnostics.time_budget.budget import time_budget
from diagnostics.wording.live import seconds_left, seconds_per_step
from diagnostics.wording.messages import message_text
from diagnostics.wording.runs import standstill, state
from diagnostics.wording.severities import severity_counts, verdict_word
from diagnostics.wording.steps import progress, steps_of
from diagnostics.wording.time_budget import budget_sentence
from diagnostics.wording.times import age, duration
from diagnostics.wording.values import counted
from diagnostics.wording.verdicts import verdict_sentence

AVERAGED_STEPS = 10  # logged, at the start and at the end, whose mean rewards are told
STEPS_UNTIL_NEXT_LOOK = 10  # fewer change no smoothed curve
SHORTEST_LOOK = 60.0  # seconds: nobody looks more often
_HANG = "run-stalled"  # the rule that tells a hang from a slow step


class Health(StrEnum):
    """Whether a training does what it should, in one word."""

    HEALTHY = "healthy"
    DEGRADED = "degraded"
    DOWN = "down"
    UNKNOWN = "unknown"


TITLES: Mapping[Health, str] = {
    Health.HEALTHY: "Healthy",
    Health.DEGRADED: "Degraded",
    Health.DOWN: "Down",
    Health.UNKNOWN: "Not known",
}


@dataclass(frozen=True, slots=True)
class Reward:
    """The main reward: its mean over the latest logged steps and over the first; NaN where one of them is no number.

    `first` is None where the run has not logged twice as many steps as are averaged.
    """

    name: str
    latest: float
    first: float | None
    points: int


@dataclass(frozen=True, slots=True)
class StatusBlock:
    """What is known of one run now, in sentences and in numbers; None is what the log does not tell."""

    diagnosis: Diagnosis
    health: Health
    reason: str
    progress: str
    share: float | None
    seconds_left: float | None
    stability: str
    reward: Reward | None
    step_seconds: float | None
    performance: tuple[str, ...]
    next_look: str
    seconds_to_next_look: float | None

    @property
    def run(self) -> Run:
        """The run."""
        return self.diagnosis.run

    @property
    def lines(self) -> tuple[tuple[str, str], ...]:
        """The block: a label and a sentence each."""
        first, *more = self.performance
        return (
            ("progress", self.progress),
            ("stability", self.stability),
            ("performance", first),
            *(("", sentence) for sentence in more),
            ("next look", self.next_look),
        )


def status_block(diagnosis: Diagnosis) -> StatusBlock:
    """The status of a run as it was read and diagnosed."""
    run = diagnosis.run
    health, reason = _health(diagnosis)
    left, reward = seconds_left(run), _reward(run)
    budget = time_budget(run)
    pace = budget.mean_step if budget is not None else seconds_per_step(run)
    total, last = run.status.total, run.last_step
    look, seconds = _next_look(diagnosis, health)
    return StatusBlock(
        diagnosis=diagnosis,
        health=health,
        reason=reason,
        progress=_progress(run, left),
        share=min(last / total, 1.0) if total and last is not None else None,
        seconds_left=left,
        stability=_stability(diagnosis),
        reward=reward,
        step_seconds=pace,
        performance=tuple(_performance(run, reward, pace)),
        next_look=look,
        seconds_to_next_look=seconds,
    )


def _health(diagnosis: Diagnosis) -> tuple[Health, str]:
    """In one word, and why."""
    run, worst = diagnosis.run, _worst(diagnosis)
    if reason := _why_down(diagnosis):
        return Health.DOWN, reason
    if worst is not None and worst.severity is not Severity.INFO:
        return Health.DEGRADED, f"{verdict_word(worst.severity)}, {steps_of(worst)}"
    if not run.series:
        return Health.UNKNOWN, "no metric is logged yet" if not run.status.has_ended else "no metric was logged"
    if supervised_tags(run):
        return Health.UNKNOWN, "this log holds no RL"
    if diagnosis.vital_missing or diagnosis.muted or not diagnosis.vital:
        return Health.UNKNOWN, "no problem found, but too much could not be checked or is muted"
    return Health.HEALTHY, "every vital check ran and none found anything above a note"


def _why_down(diagnosis: Diagnosis) -> str:
    """Why a run does not train and has not ended as planned; empty where it does, or has."""
    run = diagnosis.run
    if run.status.state in ("failed", "died"):
        error = f": {run.status.short_error}" if run.status.error else ""
        return f"{run.status.state}{error}"
    if run.status.suspended is not None:
        return standstill(run)
    if any(outcome.rule == _HANG and outcome.still for outcome in diagnosis.fired):
        return standstill(run) or "it hangs"
    if run.status.state == "silent" and not _is_complete(run):
        since = age(run.status.last_written, run.observed_at)
        return f"last written {since or 'at a time that is not known'}; the log does not say whether it ended or hangs"
    return ""


def _is_complete(run: Run) -> bool:
    return bool(run.status.total) and run.last_step is not None and run.last_step >= (run.status.total or 0)


def _worst(diagnosis: Diagnosis) -> Finding | None:
    return diagnosis.findings[0] if diagnosis.findings else None


def _progress(run: Run, left: float | None) -> str:
    parts = [state(run), progress(run)]
    if run.last_step is not None and not run.status.total:
        parts.append("the total is not known")
    elif run.status.total and run.last_step is not None:
        parts.append(f"{min(100 * run.last_step // run.status.total, 100)} %")
    if run.status.state == "running":
        parts.append("time left not known" if left is None else f"{duration(left)} left")
    return " · ".join(parts)


def _stability(diagnosis: Diagnosis) -> str:
    worst = _worst(diagnosis)
    if worst is None:
        return verdict_sentence(diagnosis)
    counts = severity_counts(finding.severity for finding in diagnosis.findings)
    return f"{counts}. {message_text(worst.summary)} ({steps_of(worst)}) [{worst.name}]"


def _reward(run: Run) -> Reward | None:
    series = run.get(*MAIN_REWARD.get(run.algorithm, ("reward", "score")))
    if series is None:
        return None
    points = min(AVERAGED_STEPS, len(series))
    first = float(np.mean(series.values[:points])) if len(series) >= 2 * AVERAGED_STEPS else None
    return Reward(_title(series), float(np.mean(series.values[-points:])), first, points)


def _title(series: Series) -> str:
    return series.tag or series.name


def _performance(run: Run, reward: Reward | None, pace: float | None) -> Iterator[str]:
    """The reward, then the speed, each where it is known."""
    if reward is None:
        yield "the reward is not known: none is logged"
    elif not math.isfinite(reward.latest):
        yield f"{reward.name} is no number in its last {counted(reward.points, 'logged step')}"
    else:
        before = "" if reward.first is None else f", {format_value(reward.first)} in the first {reward.points}"
        over = f"mean of the last {counted(reward.points, 'logged step')}"
        yield f"{reward.name} {format_value(reward.latest)} ({over}{before})"
    budget = time_budget(run)
    told = f"{format_value(pace)} s a step" if pace is not None else "the time of a step is not known"
    yield f"{told}; {budget_sentence(run, budget)}" if budget is not None else f"{told}; its parts are not logged."


def _next_look(diagnosis: Diagnosis, health: Health) -> tuple[str, float | None]:
    """When to look again, in words and in seconds from now; None for never, or where the pace is not known."""
    run, worst = diagnosis.run, _worst(diagnosis)
    if health is Health.DOWN:
        return f"now: rlvitals diagnose {run.path}", 0.0
    if run.status.has_ended or _is_complete(run):
        return "none: it has ended", None
    if worst is not None and worst.severity is Severity.CRITICAL:
        return f"now: rlvitals diagnose {run.path}", 0.0
    pace, left = seconds_per_step(run), seconds_left(run)
    if pace is None:
        return "not known: the log does not tell how long a step takes", None
    wait = max(SHORTEST_LOOK, STEPS_UNTIL_NEXT_LOOK * pace)
    if left is not None and left <= wait:
        return f"in {duration(left)}, at its end", left
    steps = max(STEPS_UNTIL_NEXT_LOOK, round(wait / pace)) if pace > 0 else STEPS_UNTIL_NEXT_LOOK
    return f"in {duration(wait)}, after {steps} more steps", wait
