"""A candidate: a cause that the evidence points at in a run, and whether it brought about another one."""

import dataclasses
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np

from diagnostics.causes.cause import AGAINST_THE_START, OVER_A_STRETCH, CauseEntry
from diagnostics.causes.clue import Clue
from diagnostics.model.outcome import Outcome, Severity
from diagnostics.model.run import Run

WEIGHTS = {"S": 1.0, "C": 1.0, "D": 1.0, "P": 0.8, "I": 0.8, "M": 0.7, "F": 0.4}
SUPPORT = 0.5
LAG = 50  # logged points; what a proven cause brought about may show so much before its proof, which takes samples
SLACK = 5  # logged points: medians and pooled samples tell no better when something began


@dataclass(frozen=True, slots=True)
class Candidate:
    """A cause that the evidence points at. `folded` are those that it brought about; `order` is its place in time.

    `core` is as grave as what it shows. `is_effect`: by its nature the effect of something, here where it began.
    """

    entry: CauseEntry
    core: tuple[Outcome, ...]
    outcomes: tuple[Outcome, ...]
    against: tuple[str, ...]
    score: float
    is_proven: bool
    is_effect: bool
    order: int
    folded: tuple["Candidate", ...] = ()

    @property
    def first_step(self) -> int:
        return min(outcome.first_step or 0 for outcome in self.core)

    def brings_about(self, other: "Candidate") -> bool:
        denied = set(self.entry.shown_by) - {outcome.rule for outcome in self.core}  # its own, which prove nothing here
        explains = {outcome.rule for outcome in other.core} <= {*self.entry.consequences, *denied}
        is_worse = other.gravity.rank > self.gravity.rank
        in_time = self.order <= other.order + self._grace(other)
        return explains and in_time and not other.is_proven and (self.entry.folds_worse or not is_worse)

    def _grace(self, other: "Candidate") -> int:
        """How many logged points later than `other` this one may show and still have brought it about."""
        if self.is_proven:
            return LAG
        return SLACK if self.is_graver_than(other) or (other.is_effect and not self.is_effect) else 0

    def is_graver_than(self, other: "Candidate") -> bool:
        """Whether this one is critical and the other was not when this one showed: what became so since may follow."""
        before = [outcome for outcome in other.core if (outcome.first_step or 0) <= self.first_step]
        return self.gravity is Severity.CRITICAL and _worst(before or other.core) is not Severity.CRITICAL

    def brought_about(self, candidates: Iterable["Candidate"]) -> int:
        return sum(self.brings_about(other) for other in candidates if other is not self)

    def with_folded(self, other: "Candidate") -> "Candidate":
        by_rule = {outcome.rule: outcome for outcome in (*self.outcomes, *other.outcomes)}
        return dataclasses.replace(self, outcomes=tuple(by_rule.values()), folded=(*self.folded, other))

    @property
    def gravity(self) -> Severity:
        return _worst(self.core)

    @property
    def severity(self) -> Severity:
        return _worst(self.outcomes)


def candidate(
    entry: CauseEntry, fired: Mapping[str, Outcome], settings: Mapping[str, Outcome], run: Run
) -> Candidate | None:
    """The cause as a candidate, given the outcomes that fired, of rules and of checks of the settings; None without."""
    clues = _counting(entry.core, fired, run)
    core = named(dict.fromkeys(clue.rule for clue in clues), fired)
    support = named(entry.support, fired)
    against = named((clue.rule for clue in _counting(entry.against, fired, run)), fired)
    hints = named(entry.preflight, settings)
    score = _weight(core) + SUPPORT * _weight((*support, *hints)) - _weight(against)
    if not core or score <= 0:
        return None
    start = min(_began(outcome, run) for outcome in core)
    followed = tuple(outcome for outcome in named(entry.consequences, fired) if _began_since(start, outcome))
    explained = {outcome.rule: outcome for outcome in (*core, *support, *followed)}
    return Candidate(
        entry=entry,
        core=tuple(dataclasses.replace(outcome, severity=_gravity(outcome, clues, run)) for outcome in core),
        outcomes=tuple(explained.values()),
        against=tuple(outcome.rule for outcome in against),
        score=score,
        is_proven=any(clue.proves(fired[clue.rule], run) for clue in clues),
        is_effect=entry.is_effect(run, start),
        order=int(np.searchsorted(run.steps, start)),
    )


def _counting(clues: Iterable[Clue], fired: Mapping[str, Outcome], run: Run) -> list[Clue]:
    return [clue for clue in clues if clue.rule in fired and clue.counts(fired[clue.rule], run)]


def _gravity(outcome: Outcome, clues: Iterable[Clue], run: Run) -> Severity | None:
    is_grave = any(clue.rule == outcome.rule and clue.is_grave(outcome, run) for clue in clues)
    return Severity.CRITICAL if is_grave else outcome.severity


def _worst(outcomes: Iterable[Outcome]) -> Severity:
    return max((outcome.severity or Severity.INFO for outcome in outcomes), key=lambda severity: severity.rank)


def _began(outcome: Outcome, run: Run) -> int:
    """The step at which a finding began: where what is judged against a run's start crossed the limit, or its first."""
    first, series = outcome.first_step or 0, run.get(outcome.metric) if outcome.metric else None
    if outcome.rule not in AGAINST_THE_START or series is None or outcome.limit is None or outcome.measured is None:
        return first
    before = series.steps < first
    within = (series.values[before] > outcome.limit) != (outcome.measured > outcome.limit)
    crossed = np.flatnonzero(within)
    place = int(crossed[-1]) + 1 if len(crossed) else 0
    return int(series.steps[place]) if place < before.sum() else first


def _began_since(start: int, outcome: Outcome) -> bool:
    return outcome.rule in OVER_A_STRETCH or (outcome.first_step or 0) >= start


def named(rules: Iterable[str], fired: Mapping[str, Outcome]) -> tuple[Outcome, ...]:
    """Those of the rules that fired, in their order."""
    return tuple(fired[rule] for rule in rules if rule in fired)


def _weight(outcomes: Iterable[Outcome]) -> float:
    return sum(WEIGHTS[outcome.grade] for outcome in outcomes)
