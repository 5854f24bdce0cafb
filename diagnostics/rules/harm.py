"""Harm: what shows that a run is worse off since a step: its score, its evaluations, its answers, or its numbers.

A distance or a size (a KL, a ratio, a clipped share, an entropy) is no harm: a policy has to move in order to learn.
"""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from diagnostics.detectors.averages import finite_median
from diagnostics.detectors.episodes import CLEAR_BELOW
from diagnostics.detectors.extremes import extreme
from diagnostics.detectors.noise import LEAST
from diagnostics.detectors.proportions import CERTAIN
from diagnostics.detectors.rolling import MEDIAN_WINDOW, rolling_mean
from diagnostics.detectors.stillness import noise_within
from diagnostics.model.messages import Message
from diagnostics.model.outcome import Outcome, Severity, Verdict
from diagnostics.model.run import Run
from diagnostics.model.series import Series
from diagnostics.rules.rewards import ANY_SCORE, EVALUATED, has_risen, spread_of_answers
from diagnostics.rules.rule import Over, Rule

LEVEL = 10  # logged points whose mean is a level
START = 1  # logged point at least: the first is of answers from before any update
SMALL = 0.2  # of the spread from answer to answer: a small effect (Cohen 1988)
SMALL_SHARE = 0.1  # of the score before, where that spread is not logged
SOON = 30  # logged points: by then a median of fifty has caught up, and what was a jump is the level
DATED = 5  # logged points: medians and pooled samples date an onset no better

UNKNOWN = "harm.unknown"
SOLVED = "reward-saturated"

SHOWN_BY: Mapping[str, tuple[Severity, str]] = {
    "nonfinite-metric": (Severity.CRITICAL, "numbers are no longer finite"),
    "train-eval-divergence": (Severity.CRITICAL, "the evaluation falls"),
    "reward-components-diverge": (Severity.WARNING, "one reward is lost for another"),
    "truncation-high": (Severity.CRITICAL, "nearly every answer is cut off"),
    "length-at-limit": (Severity.CRITICAL, "nearly every answer is cut off"),
    "eos-never-generated": (Severity.CRITICAL, "no answer ends any more"),
    "length-collapse": (Severity.CRITICAL, "the answers shrink to nothing"),
    "zero-variance-groups": (Severity.CRITICAL, "hardly any group tells answers apart"),
    "policy-not-updating": (Severity.CRITICAL, "nothing is being learned"),
    "smp-empty": (Severity.WARNING, "answers are empty"),
    "smp-repetition": (Severity.WARNING, "the answers repeat themselves"),
    "smp-loop-tail": (Severity.WARNING, "the answers run into loops"),
    "smp-group-duplicates": (Severity.WARNING, "the answers to one prompt are copies"),
    "smp-template-collapse": (Severity.WARNING, "the answers no longer depend on their prompts"),
    "smp-vocabulary-collapse": (Severity.WARNING, "the answers use fewer and fewer words"),
    "smp-exclaim-emoji": (Severity.WARNING, "the answers fill up with marks"),
    "smp-nonlanguage": (Severity.WARNING, "the answers are no language"),
    "smp-language-drift": (Severity.WARNING, "the answers mix scripts"),
}
"""Other rules that show harm: from which severity on, and in which words."""

TEXTS: Mapping[str, str] = {
    "harm.untold": "",
    "harm.fell": ", while {series} fell from {before} to {after}",
    "harm.rose": ", while {series} rose from {before} to {after}: no harm is shown",
    "harm.held": ", while {series} held ({before}, then {after}): no harm is shown",
    "harm.score": "the score",
    "harm.reward": "the reward",
    "harm.rlhf_reward": "the RLHF reward",
    "harm.eval/score": "the score of the evaluation",
    "harm.eval/reward": "the reward of the evaluation",
    "harm.eval/rlhf_reward": "the RLHF reward of the evaluation",
    UNKNOWN: "; no score is logged for long enough to show whether that does harm",
    **{f"harm.{rule}": f", and {words}" for rule, (_, words) in SHOWN_BY.items()},
}


@dataclass(frozen=True, slots=True)
class Harm:
    """Whether harm is shown, and the part of a sentence that says by what, or that it is not."""

    is_shown: bool
    told: Message
    has_risen: bool = False  # the score, instead, as far as can be told yet, and it has kept that

    @property
    def is_unknown(self) -> bool:
        """Whether nothing is logged that would show harm."""
        return self.told.template == UNKNOWN


def graded_by_harm(rules: Iterable[Rule[Any, Any]], run: Run, outcomes: Sequence[Outcome]) -> tuple[Outcome, ...]:
    """The outcomes; those of rules that measure a distance are no more than a warning unless harm is shown since.

    A distance that is over, or lies where the reward is at full marks, is a note if it has done no harm, and so is one
    that healthy runs have as well, some of them only while they learn.
    """
    distances = {rule.name: rule for rule in rules if rule.measures_distance}
    return tuple(
        _graded(outcome, run, outcomes, distances[outcome.rule])
        if outcome.rule in distances and outcome.is_alarm
        else outcome
        for outcome in outcomes
    )


def harm_since(run: Run, step: int, outcomes: Iterable[Outcome]) -> Harm:
    """The harm shown since a step: by the score, by the evaluation, else by what other rules found."""
    found = [change for names in (ANY_SCORE, EVALUATED) if (change := _change(run, run.get(*names), step)) is not None]
    told = next((change for change in found if change.is_fall), None)
    if told is None:
        shown = next(_rules_since(run, step, outcomes), None)
        if shown is not None:
            return Harm(is_shown=True, told=Message(f"harm.{shown}"))
        told = found[0] if found else None
    return (
        Harm(False, Message(UNKNOWN))
        if told is None
        else Harm(told.is_fall, told.told, told.is_rise_likely and told.is_kept)
    )


@dataclass(frozen=True, slots=True)
class _Change:
    """A score before a step and now, the standard error of the difference, and how large a change is not negligible."""

    series: Message
    before: float
    after: float
    best: float  # level since
    error: float
    small: float
    has_risen: bool = False  # above its first points, of a change since the start

    @property
    def least(self) -> float:
        """How large a change is neither chance nor negligible."""
        return max(CERTAIN * self.error, self.small)

    @property
    def is_fall(self) -> bool:
        return self.before - self.after > self.least

    @property
    def is_rise(self) -> bool:
        return self.after - self.before > self.least or (self.has_risen and not self.is_fall)

    @property
    def is_rise_likely(self) -> bool:
        """Whether the score is higher by no negligible change and by more than one error, if not beyond chance yet."""
        return self.is_rise or self.after - self.before > max(self.error, self.small)

    @property
    def is_kept(self) -> bool:
        """Whether the score has not fallen below its best level since."""
        return not self.best - self.after > self.least

    @property
    def told(self) -> Message:
        how = "fell" if self.is_fall else "rose" if self.is_rise else "held"
        return Message(f"harm.{how}", {"series": self.series, "before": self.before, "after": self.after})


def _change(run: Run, series: Series | None, step: int) -> _Change | None:
    """The change of a score since a step; None where too little is logged to judge it."""
    if series is None or series.finite.sum() < LEAST:
        return None
    steps, values = series.steps[series.finite], series.values[series.finite]
    first = max(START, int(np.searchsorted(steps, step)))
    if first >= len(values):
        return None
    start, last, now = values[:first][:LEVEL], values[:first][-LEVEL:], values[first:][-LEVEL:]
    before, after = max(float(np.mean(start)), float(np.mean(last))), float(np.mean(now))
    noise = noise_within(values, last, now)
    error = math.hypot(noise.error_of_mean(len(last)), noise.error_of_mean(len(now)))
    spread = spread_of_answers(run)
    small = SMALL_SHARE * abs(before) if spread is None else SMALL * spread
    name = Message(f"harm.{series.name}")
    best = max(after, extreme(rolling_mean(values[first:], LEVEL)))
    is_since_start = first <= START
    return _Change(name, before, after, best, error, small, is_since_start and has_risen(series))


def _rules_since(run: Run, step: int, outcomes: Iterable[Outcome]) -> Iterator[str]:
    """The rules that show harm which began at a step or later, as far as its beginning can be dated."""
    steps = run.steps
    earliest = steps[max(0, int(np.searchsorted(steps, step)) - DATED)]
    for outcome in outcomes:
        least, _ = SHOWN_BY.get(outcome.rule, (None, ""))
        told = outcome.leading_episode
        if least and told and told.severity.rank >= least.rank and told.first_step >= earliest:
            yield outcome.rule


def _graded(outcome: Outcome, run: Run, outcomes: Iterable[Outcome], rule: Rule[Any, Any]) -> Outcome:
    harm = harm_since(run, _onset(outcome), outcomes)
    message = Message(outcome.message.template, {**outcome.message.values, "harm": harm.told})
    is_over = not outcome.still and not (rule.over is Over.BEFORE_SCHEDULE and _ended_with_the_schedule(outcome, run))
    is_past = is_over or any(item.rule == SOLVED and item.verdict is Verdict.FIRED for item in outcomes)
    is_usual = rule.harmless_alone or (rule.harmless_while_rising and harm.has_risen)
    lasts = rule.over is Over.NEVER or (rule.over is Over.BACK and not (is_over and _is_back(outcome, run)))
    is_note = is_usual or (is_past and not lasts)
    most = Severity.INFO if is_note and not harm.is_unknown else Severity.WARNING
    graded = outcome if harm.is_shown else outcome.of_severity(most)
    return replace(graded, message=message)


def _ended_with_the_schedule(outcome: Outcome, run: Run) -> bool:
    """Whether a finding is over because the learning rate had fallen by half when it ended: that is no cure."""
    rate, first, last = run.get("learning_rate"), outcome.first_step, outcome.last_step
    if rate is None or first is None or last is None:
        return False
    during, since = rate.values[(rate.steps >= first) & (rate.steps <= last)], rate.values[rate.steps > last]
    return len(during) > 0 and len(since) > 0 and extreme(since) <= extreme(during) / 2


def _is_back(outcome: Outcome, run: Run) -> bool:
    """Whether the metric soon came back clearly below the limit that it had passed at the onset."""
    series, limit, first, last = run.get(outcome.metric or ""), outcome.limit, outcome.first_step, outcome.last_step
    if series is None or limit is None or first is None or last is None:
        return False
    lasted = int(np.count_nonzero((series.steps >= first) & (series.steps <= last)))
    return lasted <= SOON and finite_median(series.values[series.steps > last][:MEDIAN_WINDOW]) < CLEAR_BELOW * limit


def _onset(outcome: Outcome) -> int:
    """The step from which the distance was alarming."""
    return min((item.first_step for item in outcome.alarms), default=outcome.first_step or 0)
