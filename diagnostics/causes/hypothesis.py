"""A hypothesis: a cause that the evidence of one run indicates, scored, and placed in time."""

import dataclasses
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np

from diagnostics.causes.entry import CauseEntry
from diagnostics.causes.indicator import Indicator
from diagnostics.model.outcome import Outcome, Severity
from diagnostics.model.run import Run

WEIGHTS = {"S": 1.0, "C": 1.0, "D": 1.0, "P": 0.8, "I": 0.8, "M": 0.7, "F": 0.4}
"""Grade of a rule's source → weight of its evidence."""
SUPPORT = 0.5  # of a core rule's weight
PROOF_LAG = 50  # logged points by which a proven cause may show after its effects: its proof takes samples
ONSET_ERROR = 5  # logged points: medians and pooled samples date an onset no better

WHOLE_RUN_RULES = frozenset(
    {"reward-not-improving", "reward-func-stagnant", "kl-up-reward-flat", "reward-components-diverge"}
)
"""Rules that judge a whole stretch of the run: their first step is not the onset."""
BASELINE_RULES = frozenset({"length-collapse", "length-explosion"})
"""Rules that take a run's first points as its level: they fire after these at the earliest."""


@dataclass(frozen=True, slots=True)
class Hypothesis:
    """A cause that applies to a run.

    core: the outcomes that indicate it, as severe as what they show · outcomes: all that it explains · against: rules
    that contradict it · is_proven: it cannot be a mere consequence · is_effect: by its nature the effect of something
    else · onset: index of its first logged point · explained: other hypotheses that it explains
    """

    entry: CauseEntry
    core: tuple[Outcome, ...]
    outcomes: tuple[Outcome, ...]
    against: tuple[str, ...]
    score: float
    is_proven: bool
    is_effect: bool
    onset: int
    explained: tuple["Hypothesis", ...] = ()

    @property
    def first_step(self) -> int:
        return min(outcome.first_step or 0 for outcome in self.core)

    @property
    def core_rules(self) -> frozenset[str]:
        return frozenset(outcome.rule for outcome in self.core)

    @property
    def core_severity(self) -> Severity:
        return _worst(self.core)

    @property
    def severity(self) -> Severity:
        return _worst(self.outcomes)

    def explains(self, other: "Hypothesis") -> bool:
        """Whether the other one's core findings are consequences of this cause, and began no earlier."""
        not_indicating = set(self.entry.core_rules) - self.core_rules  # fired, but by another cause in this run
        are_consequences = other.core_rules <= {*self.entry.consequences, *not_indicating}
        is_worse = other.core_severity.rank > self.core_severity.rank
        in_time = self.onset <= other.onset + self._allowed_lag(other)
        return are_consequences and in_time and not other.is_proven and (self.entry.explains_worse or not is_worse)

    def escalates_after(self, other: "Hypothesis") -> bool:
        """Whether this one is critical, and the other was not yet when this one showed: it may have worsened by it."""
        earlier = [outcome for outcome in other.core if (outcome.first_step or 0) <= self.first_step]
        return self.core_severity is Severity.CRITICAL and _worst(earlier or other.core) is not Severity.CRITICAL

    def with_explained(self, other: "Hypothesis") -> "Hypothesis":
        by_rule = {outcome.rule: outcome for outcome in (*self.outcomes, *other.outcomes)}
        return dataclasses.replace(self, outcomes=tuple(by_rule.values()), explained=(*self.explained, other))

    def _allowed_lag(self, other: "Hypothesis") -> int:
        """The logged points by which this one may show after `other` and still be its cause."""
        if self.is_proven:
            return PROOF_LAG
        is_dated_late = self.escalates_after(other) or (other.is_effect and not self.is_effect)
        return ONSET_ERROR if is_dated_late else 0


def hypothesis_of(
    entry: CauseEntry, fired: Mapping[str, Outcome], preflight: Mapping[str, Outcome], run: Run
) -> Hypothesis | None:
    """The cause as a hypothesis, given the fired outcomes of rules and of settings checks; None without evidence."""
    indicators = [indicator for indicator in entry.core if indicator.applies(fired, run)]
    core = outcomes_of(dict.fromkeys(indicator.rule for indicator in indicators), fired)
    support = outcomes_of(entry.support, fired)
    against = outcomes_of((indicator.rule for indicator in entry.against if indicator.applies(fired, run)), fired)
    settings = outcomes_of(entry.preflight, preflight)
    score = _weight(core) + SUPPORT * _weight((*support, *settings)) - _weight(against)
    if not core or score <= 0:
        return None
    onset = min(_onset(outcome, run) for outcome in core)
    consequences = (found for found in outcomes_of(entry.consequences, fired) if _began_since(onset, found))
    explained = {outcome.rule: outcome for outcome in (*core, *support, *consequences)}
    return Hypothesis(
        entry=entry,
        core=tuple(dataclasses.replace(found, severity=_severity(found, indicators, run)) for found in core),
        outcomes=tuple(explained.values()),
        against=tuple(outcome.rule for outcome in against),
        score=score,
        is_proven=any(indicator.proves(fired[indicator.rule], run) for indicator in indicators),
        is_effect=entry.is_effect(run, onset),
        onset=int(np.searchsorted(run.steps, onset)),
    )


def outcomes_of(rules: Iterable[str], fired: Mapping[str, Outcome]) -> tuple[Outcome, ...]:
    """The outcomes of those rules that fired, in the order of the rules."""
    return tuple(fired[rule] for rule in rules if rule in fired)


def _severity(outcome: Outcome, indicators: Iterable[Indicator], run: Run) -> Severity | None:
    escalates = any(item.rule == outcome.rule and item.escalates(outcome, run) for item in indicators)
    return Severity.CRITICAL if escalates else outcome.severity


def _worst(outcomes: Iterable[Outcome]) -> Severity:
    return max((outcome.severity or Severity.INFO for outcome in outcomes), key=lambda severity: severity.rank)


def _onset(outcome: Outcome, run: Run) -> int:
    """The step at which a finding began: its first, or earlier, where a rule first has to learn a run's level."""
    first, series = outcome.first_step or 0, run.get(outcome.metric) if outcome.metric else None
    if outcome.rule not in BASELINE_RULES or series is None or outcome.limit is None or outcome.measured is None:
        return first
    before = series.steps < first
    within = (series.values[before] > outcome.limit) != (outcome.measured > outcome.limit)
    last_within = np.flatnonzero(within)
    index = int(last_within[-1]) + 1 if len(last_within) else 0
    return int(series.steps[index]) if index < before.sum() else first


def _began_since(onset: int, outcome: Outcome) -> bool:
    return outcome.rule in WHOLE_RUN_RULES or (outcome.first_step or 0) >= onset


def _weight(outcomes: Iterable[Outcome]) -> float:
    return sum(WEIGHTS[outcome.grade] for outcome in outcomes)
