"""From fired outcomes to a few causes: scored by their evidence, consequences folded under what came first."""

import dataclasses
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from diagnostics.causes.catalog import CATALOG
from diagnostics.causes.entry import OVER_A_STRETCH, CauseEntry
from diagnostics.causes.remedies import fixes_for
from diagnostics.diagnosis import Cause, Outcome, Rival, Severity, Verdict
from diagnostics.messages import Message
from diagnostics.run import Run

WEIGHTS = {"S": 1.0, "C": 1.0, "D": 1.0, "P": 0.8, "I": 0.8, "M": 0.7, "F": 0.4}
SUPPORT = 0.5


@dataclass(frozen=True, slots=True)
class _Candidate:
    entry: CauseEntry
    core: tuple[Outcome, ...]
    outcomes: tuple[Outcome, ...]
    against: tuple[str, ...]
    score: float

    @property
    def first_step(self) -> int:
        return min(outcome.first_step or 0 for outcome in self.core)

    def brings_about(self, other: "_Candidate") -> bool:
        return {outcome.rule for outcome in other.core} <= set(self.entry.consequences)

    def brought_about(self, candidates: Iterable["_Candidate"]) -> int:
        return sum(self.brings_about(other) for other in candidates)

    @property
    def severity(self) -> Severity:
        return max((outcome.severity or Severity.INFO for outcome in self.outcomes), key=lambda severity: severity.rank)


def explain(run: Run, outcomes: Sequence[Outcome]) -> tuple[Cause, ...]:
    """The causes that the fired outcomes point at, worst first; empty where nothing fired or no cause is known.

    A cause counts when a core rule fired and more speaks for it than against it. One whose core rules are consequences
    of a cause that began no later is folded under that cause.
    """
    fired = {outcome.rule: outcome for outcome in outcomes if outcome.verdict is Verdict.FIRED}
    candidates = [found for entry in CATALOG if (found := _candidate(entry, fired, run)) is not None]
    kept = _folded(
        sorted(candidates, key=lambda found: (found.first_step, -found.brought_about(candidates), -found.score))
    )
    kept.sort(key=lambda found: (-found.severity.rank, -found.score, found.first_step))
    return tuple(_cause(found, run) for found in kept)


def _candidate(entry: CauseEntry, fired: dict[str, Outcome], run: Run) -> _Candidate | None:
    core = tuple(fired[clue.rule] for clue in entry.core if clue.rule in fired and clue.counts(fired[clue.rule], run))
    support = _named(entry.support, fired)
    against = _named(entry.against, fired)
    score = _weight(core) + SUPPORT * _weight(support) - _weight(against)
    if not core or score <= 0:
        return None
    start = min(outcome.first_step or 0 for outcome in core)
    followed = tuple(outcome for outcome in _named(entry.consequences, fired) if _began_since(start, outcome))
    explained = {outcome.rule: outcome for outcome in (*core, *support, *followed)}
    return _Candidate(entry, core, tuple(explained.values()), tuple(outcome.rule for outcome in against), score)


def _began_since(start: int, outcome: Outcome) -> bool:
    return outcome.rule in OVER_A_STRETCH or (outcome.first_step or 0) >= start


def _named(rules: Iterable[str], fired: dict[str, Outcome]) -> tuple[Outcome, ...]:
    return tuple(fired[rule] for rule in rules if rule in fired)


def _weight(outcomes: Iterable[Outcome]) -> float:
    return sum(WEIGHTS[outcome.grade] for outcome in outcomes)


def _folded(by_time: Sequence[_Candidate]) -> list[_Candidate]:
    kept: list[_Candidate] = []
    for found in by_time:
        for index, earlier in enumerate(kept):
            if earlier.brings_about(found):
                by_rule = {outcome.rule: outcome for outcome in (*earlier.outcomes, *found.outcomes)}
                kept[index] = dataclasses.replace(earlier, outcomes=tuple(by_rule.values()))
                break
        else:
            kept.append(found)
    return kept


def _cause(found: _Candidate, run: Run) -> Cause:
    return Cause(
        cause=found.entry.name,
        severity=found.severity,
        summary=Message(found.entry.template),
        first_step=found.first_step,
        last_step=max(outcome.last_step or 0 for outcome in found.outcomes),
        outcomes=tuple(outcome.rule for outcome in found.outcomes),
        against=found.against,
        fixes=fixes_for(run, found.entry.remedies),
        rivals=_rivals(found),
    )


def _rivals(found: _Candidate) -> tuple[Rival, ...]:
    """The causes that the findings at the core of this one may mean as well."""
    core = {outcome.rule for outcome in found.core}
    pointing = {entry.name: {clue.rule for clue in entry.core} for entry in CATALOG}
    decides = {name: Message(f"{found.entry.template}.or.{name}") for name in found.entry.rivals}
    return tuple(Rival(name, sentence) for name, sentence in decides.items() if core & pointing[name])
