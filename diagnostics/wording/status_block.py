"""The status of a run in a block of lines: its health, how far it is, how stable, how fast, and when to look next."""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from diagnostics.addresses import shown
from diagnostics.language import _, pgettext
from diagnostics.model.algorithms import MAIN_REWARD
from diagnostics.model.diagnosis import Diagnosis
from diagnostics.model.finding import Finding
from diagnostics.model.messages import format_value
from diagnostics.model.outcome import Severity
from diagnostics.model.run import Run
from diagnostics.model.series import Series
from diagnostics.model.supervised import supervised_tags
from diagnostics.punctuation import clauses, labelled, listed, sentences, with_remark
from diagnostics.time_budget.budget import time_budget
from diagnostics.wording.live import seconds_left, seconds_per_step, time_left
from diagnostics.wording.messages import message_text
from diagnostics.wording.runs import standstill, state, state_word
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


def title(health: Health) -> str:
    """A health as a heading: "Healthy", "Not known"."""
    return {
        Health.HEALTHY: pgettext("the health of a run", "Healthy"),
        Health.DEGRADED: pgettext("the health of a run", "Degraded"),
        Health.DOWN: pgettext("the health of a run", "Down"),
        Health.UNKNOWN: pgettext("the health of a run", "Not known"),
    }[health]


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
            (_("progress"), self.progress),
            (_("stability"), self.stability),
            (_("performance"), first),
            *(("", sentence) for sentence in more),
            (_("next look"), self.next_look),
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
        return Health.DEGRADED, listed((verdict_word(worst.severity), steps_of(worst)))
    if not run.series:
        return Health.UNKNOWN, _("no metric was logged") if run.status.has_ended else _("no metric is logged yet")
    if supervised_tags(run):
        return Health.UNKNOWN, _("this log holds no RL")
    if diagnosis.vital_missing or diagnosis.muted or not diagnosis.vital:
        return Health.UNKNOWN, _("no problem found, but too much could not be checked or is muted")
    return Health.HEALTHY, _("every vital check ran and none found anything above a note")


def _why_down(diagnosis: Diagnosis) -> str:
    """Why a run does not train and has not ended as planned; empty where it does, or has."""
    run = diagnosis.run
    if run.status.has_failed:
        return labelled(state_word(run), run.status.short_error) if run.status.error else state_word(run)
    if run.status.suspended is not None:
        return standstill(run)
    if any(outcome.rule == _HANG and outcome.still for outcome in diagnosis.fired):
        return standstill(run) or _("it hangs")
    if run.status.state == "silent" and not _is_complete(run):
        since = age(run.status.last_written, run.observed_at)
        if not since:
            return _("last written at a time that is not known; the log does not say whether it ended or hangs")
        return _("last written {age}; the log does not say whether it ended or hangs").format(age=since)
    return ""


def _is_complete(run: Run) -> bool:
    return bool(run.status.total) and run.last_step is not None and run.last_step >= (run.status.total or 0)


def _worst(diagnosis: Diagnosis) -> Finding | None:
    return diagnosis.findings[0] if diagnosis.findings else None


def _progress(run: Run, left: float | None) -> str:
    parts = [state(run), progress(run)]
    if run.last_step is not None and not run.status.total:
        parts.append(_("the total is not known"))
    elif run.status.total and run.last_step is not None:
        parts.append(f"{min(100 * run.last_step // run.status.total, 100)} %")
    if run.status.state == "running":
        parts.append(_("time left not known") if left is None else time_left(run))
    return " · ".join(parts)


def _stability(diagnosis: Diagnosis) -> str:
    worst = _worst(diagnosis)
    if worst is None:
        return verdict_sentence(diagnosis)
    counts = severity_counts(finding.severity for finding in diagnosis.findings)
    told = with_remark(message_text(worst.summary), steps_of(worst))
    return sentences((_("{severities}.").format(severities=counts), told, f"[{worst.name}]"))


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
        yield _("the reward is not known: none is logged")
    elif not math.isfinite(reward.latest):
        steps = counted(reward.points, "logged step")
        yield _("{reward} is not a number in its last {steps}").format(reward=reward.name, steps=steps)
    else:
        yield with_remark(f"{reward.name} {format_value(reward.latest)}", _averaged(reward))
    budget = time_budget(run)
    told = _("the time of a step is not known")
    if pace is not None:
        told = _("{seconds} s a step").format(seconds=format_value(pace))
    yield clauses((told, budget_sentence(run, budget) if budget is not None else _("its parts are not logged.")))


def _averaged(reward: Reward) -> str:
    """Over which steps a reward is averaged, and what it was at the start."""
    steps = counted(reward.points, "logged step")
    if reward.first is None:
        return _("mean of the last {steps}").format(steps=steps)
    sentence = _("mean of the last {steps}, {first} in the first {count}")
    return sentence.format(steps=steps, first=format_value(reward.first), count=reward.points)


def _next_look(diagnosis: Diagnosis, health: Health) -> tuple[str, float | None]:
    """When to look again, in words and in seconds from now; None for never, or where the pace is not known."""
    run, worst = diagnosis.run, _worst(diagnosis)
    now = _("now: {command}").format(command=f"rlvitals diagnose {shown(run.path)}")
    if health is Health.DOWN:
        return now, 0.0
    if run.status.has_ended or _is_complete(run):
        return _("none: it has ended"), None
    if worst is not None and worst.severity is Severity.CRITICAL:
        return now, 0.0
    pace, left = seconds_per_step(run), seconds_left(run)
    if pace is None:
        return _("not known: the log does not tell how long a step takes"), None
    wait = max(SHORTEST_LOOK, STEPS_UNTIL_NEXT_LOOK * pace)
    if left is not None and left <= wait:
        return _("in {duration}, at its end").format(duration=duration(left)), left
    steps = max(STEPS_UNTIL_NEXT_LOOK, round(wait / pace)) if pace > 0 else STEPS_UNTIL_NEXT_LOOK
    return _("in {duration}, after {steps} more steps").format(duration=duration(wait), steps=steps), wait
