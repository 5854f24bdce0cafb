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
EFFECT_LAG = 50  # logged points by which what brings an effect about may show after it: a limit is passed late

WHOLE_RUN_RULES = frozenset(
    {
        "reward-not-improving",
        "reward-func-stagnant",
        "reward-follows-length",
        "kl-up-reward-flat",
        "reward-components-diverge",
    }
)
"""Rules that judge a whole stretch of the run: their first step is not the onset."""
BASELINE_RULES = frozenset({"length-collapse", "length-explosion", "policy-frozen"})
"""Rules that compare with a run's first points: they fire after these at the earliest."""


@dataclass(frozen=True, slots=True)
class Hypothesis:
    """A cause that applies to a run.

    core: the outcomes that indicate it, as severe as what they show · outcomes: all that it explains · consequences:
    the rules that may fire because of it in this run · against: rules that contradict it · is_proven: it cannot be a
    mere consequence · is_effect: by its nature the effect of something else · began: the step at which it first
    showed · onset: that step's index among the logged ones · since: the step from which on what is told of it holds ·
    explained: other hypotheses that it explains
    """

    entry: CauseEntry
    core: tuple[Outcome, ...]
    outcomes: tuple[Outcome, ...]
    consequences: frozenset[str]
    against: tuple[str, ...]
    score: float
    is_proven: bool
    is_effect: bool
    began: int
    onset: int
    since: int
    explained: tuple["Hypothesis", ...] = ()

    @property
    def core_rules(self) -> frozenset[str]:
        return frozenset(outcome.rule for outcome in self.core)

    @property
    def core_severity(self) -> Severity:
        return _worst(self.core)

    @property
    def severity(self) -> Severity:
        return _worst(self.outcomes)

    @property
    def is_from_the_start(self) -> bool:
        """Whether it showed at the first logged point: then no training brought it about."""
        return self.onset == 0

    @property
    def is_dated(self) -> bool:
        """Whether some core finding has an onset, and does not judge a whole stretch."""
        return not self.core_rules <= WHOLE_RUN_RULES

    def explains(self, other: "Hypothesis") -> bool:
        """Whether the other one's core findings are consequences of this cause, and began no earlier."""
        # Fired, but by another cause in this run, unless it is said when they follow.
        not_indicating = set(self.entry.core_rules) - self.core_rules - set(self.entry.follows_if)
        are_consequences = other.core_rules <= {*self.consequences, *not_indicating}
        is_worse = other.core_severity.rank > self.core_severity.rank
        in_time = not other.is_dated or self.onset <= other.onset + self._allowed_lag(other)
        explains_worse = self.entry.explains_worse and self.is_dated
        return are_consequences and in_time and not other.is_proven and (explains_worse or not is_worse)

    def escalates_after(self, other: "Hypothesis") -> bool:
        """Whether this one is critical, and the other was not yet when this one showed: it may have worsened by it."""
        before = [severity for outcome in other.core for severity in _severities_until(outcome, self.began)]
        is_grave = Severity.CRITICAL in before if before else other.core_severity is Severity.CRITICAL
        return self.core_severity is Severity.CRITICAL and not is_grave

    def with_explained(self, other: "Hypothesis") -> "Hypothesis":
        by_rule = {outcome.rule: outcome for outcome in (*self.outcomes, *other.outcomes)}
        return dataclasses.replace(self, outcomes=tuple(by_rule.values()), explained=(*self.explained, other))

    def _allowed_lag(self, other: "Hypothesis") -> int:
        """The logged points by which this one may show after `other` and still be its cause."""
        if self.is_proven:
            return PROOF_LAG
        if other.is_from_the_start:
            return 0
        if other.is_effect and not self.is_effect:
            return EFFECT_LAG
        return ONSET_ERROR if self.escalates_after(other) else 0


def hypothesis_of(
    entry: CauseEntry, fired: Mapping[str, Outcome], preflight: Mapping[str, Outcome], run: Run
) -> Hypothesis | None:
    """The cause as a hypothesis, given the fired outcomes of rules and of settings checks; None without evidence.

    A note is too weak a sign to tell a cause by.
    """
    indicators = [indicator for indicator in entry.core if indicator.applies(fired, run)]
    core = _graded_core(indicators, fired, run)
    support = outcomes_of(entry.support, fired)
    against = outcomes_of((indicator.rule for indicator in entry.against if indicator.applies(fired, run)), fired)
    settings = outcomes_of(entry.preflight, preflight)
    score = _weight(core) + SUPPORT * _weight((*support, *settings)) - _weight(against)
    if not core or score <= 0 or (_worst(core) is Severity.INFO and not entry.is_note):
        return None
    began = min(_onset(outcome, run) for outcome in _dated(core))
    if any(_onset(outcome, run) <= began for outcome in outcomes_of(entry.ruled_out_by, fired)):
        return None
    consequences = entry.consequences_in(run)
    followed = (found for found in outcomes_of(consequences, fired) if _holds_since(began, found))
    explained = {outcome.rule: fired[outcome.rule] for outcome in (*core, *support, *followed)}
    return Hypothesis(
        entry=entry,
        core=core,
        outcomes=tuple(explained.values()),
        consequences=frozenset(consequences),
        against=tuple(outcome.rule for outcome in against),
        score=score,
        is_proven=any(indicator.proves(fired[indicator.rule], run) for indicator in indicators),
        is_effect=entry.is_effect(run, began),
        began=began,
        onset=int(np.searchsorted(run.steps, began)),
        since=min(_since(outcome, run) for outcome in _dated(core)),
    )


def _graded_core(indicators: Iterable[Indicator], fired: Mapping[str, Outcome], run: Run) -> tuple[Outcome, ...]:
    """The outcomes that indicate the cause, as severe as what they show."""
    of_rule: dict[str, list[Indicator]] = {}
    for indicator in indicators:
        of_rule.setdefault(indicator.rule, []).append(indicator)
    return tuple(_graded(fired[rule], items, run) for rule, items in of_rule.items())


def _graded(outcome: Outcome, indicators: Iterable[Indicator], run: Run) -> Outcome:
    escalates = any(indicator.escalates(outcome, run) for indicator in indicators)
    return outcome.of_severity(Severity.CRITICAL) if escalates else outcome


def _dated(core: tuple[Outcome, ...]) -> tuple[Outcome, ...]:
    """The outcomes whose first step is an onset; all, where there are none but those that judge a whole stretch."""
    return tuple(outcome for outcome in core if outcome.rule not in WHOLE_RUN_RULES) or core


def outcomes_of(rules: Iterable[str], fired: Mapping[str, Outcome]) -> tuple[Outcome, ...]:
    """The outcomes of those rules that fired, in the order of the rules."""
    return tuple(fired[rule] for rule in rules if rule in fired)


def _worst(outcomes: Iterable[Outcome]) -> Severity:
    return max((outcome.severity or Severity.INFO for outcome in outcomes), key=lambda severity: severity.rank)


def _onset(outcome: Outcome, run: Run) -> int:
    """The step at which a finding began, in its earliest episode."""
    return _dated_back(_first_onset(outcome), outcome, run)


def _since(outcome: Outcome, run: Run) -> int:
    """The step at which the episode began that a finding tells of."""
    return _dated_back(outcome.first_step or 0, outcome, run)


def _dated_back(first: int, outcome: Outcome, run: Run) -> int:
    """The first step of an episode, or an earlier one, where a rule could not judge what came before it.

    That is the run's first points, where they were beyond the limit already, and those from which it learns a level.
    """
    series = run.get(outcome.metric) if outcome.metric else None
    if series is None or outcome.limit is None or outcome.measured is None:
        return first
    before = series.steps < first
    within = (series.values[before] > outcome.limit) != (outcome.measured > outcome.limit)
    last_within = np.flatnonzero(within)
    index = int(last_within[-1]) + 1 if len(last_within) else 0
    was_always_so = index == 0 and before.sum() <= ONSET_ERROR
    return (
        int(series.steps[index])
        if index < before.sum() and (was_always_so or outcome.rule in BASELINE_RULES)
        else first
    )


def _first_onset(outcome: Outcome) -> int:
    """The first step of its earliest episode; of a finding that is no note, of its earliest that is none either."""
    episodes = outcome.episodes if outcome.severity is Severity.INFO else outcome.alarms
    return min([outcome.first_step or 0, *(item.first_step for item in episodes)])


def _severities_until(outcome: Outcome, step: int) -> list[Severity]:
    """How severe its episodes were that began by a step; its own severity where a rule tells no episodes."""
    if not outcome.episodes:
        return [outcome.severity or Severity.INFO] if (outcome.first_step or 0) <= step else []
    return [item.severity for item in outcome.episodes if item.first_step <= step]


def _holds_since(step: int, outcome: Outcome) -> bool:
    """Whether its reported episode began at a step or later, so that what began there may have caused it."""
    return outcome.rule in WHOLE_RUN_RULES or (outcome.first_step or 0) >= step


def _weight(outcomes: Iterable[Outcome]) -> float:
    return sum(WEIGHTS[outcome.grade] for outcome in outcomes)
