"""From fired outcomes to a few causes: scored by their evidence, consequences folded under what came first."""

import dataclasses
import functools
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from diagnostics.causes.catalog import CATALOG
from diagnostics.causes.clues import Clue
from diagnostics.causes.entry import OVER_A_STRETCH, CauseEntry, Variant
from diagnostics.causes.remedies import fixes_for
from diagnostics.causes.remedy import is_number
from diagnostics.diagnosis import Cause, Fix, Outcome, Rival, Severity, Verdict
from diagnostics.messages import Message
from diagnostics.run import Run

WEIGHTS = {"S": 1.0, "C": 1.0, "D": 1.0, "P": 0.8, "I": 0.8, "M": 0.7, "F": 0.4}
SUPPORT = 0.5
LAG = 50  # logged points; what a proven cause brought about may show so much before its proof, which takes samples
SLACK = 5  # logged points: medians and pooled samples tell no better when something began
MOST_RIVALS = 2  # beside the cause itself: three explanations are as many as one weighs


@dataclass(frozen=True, slots=True)
class _Candidate:
    """A cause that the evidence points at. `folded` are those that it brought about; `order` is its place in time."""

    entry: CauseEntry
    core: tuple[Outcome, ...]
    outcomes: tuple[Outcome, ...]
    against: tuple[str, ...]
    score: float
    is_proven: bool
    order: int
    folded: tuple["_Candidate", ...] = ()

    @property
    def first_step(self) -> int:
        return min(outcome.first_step or 0 for outcome in self.core)

    def brings_about(self, other: "_Candidate") -> bool:
        denied = set(self.entry.shown_by) - {outcome.rule for outcome in self.core}  # its own, which prove nothing here
        explains = {outcome.rule for outcome in other.core} <= {*self.entry.consequences, *denied}
        in_time = self.order <= other.order + (LAG if self.is_proven else 0)
        is_worse = _worst(other.core).rank > _worst(self.core).rank
        in_time = in_time or (self.is_graver_than(other) and self.order <= other.order + SLACK)
        return explains and in_time and not other.is_proven and (self.entry.folds_worse or not is_worse)

    def is_graver_than(self, other: "_Candidate") -> bool:
        return _worst(self.core) is Severity.CRITICAL and _worst(other.core) is not Severity.CRITICAL

    def brought_about(self, candidates: Iterable["_Candidate"]) -> int:
        return sum(self.brings_about(other) for other in candidates if other is not self)

    def with_folded(self, other: "_Candidate") -> "_Candidate":
        by_rule = {outcome.rule: outcome for outcome in (*self.outcomes, *other.outcomes)}
        return dataclasses.replace(self, outcomes=tuple(by_rule.values()), folded=(*self.folded, other))

    @property
    def severity(self) -> Severity:
        return _worst(self.outcomes)


def explain(run: Run, outcomes: Sequence[Outcome], preflight: Sequence[Outcome] = ()) -> tuple[Cause, ...]:
    """The causes that the fired outcomes point at, worst first; empty where nothing fired or no cause is known.

    A cause counts when a core rule fired and more speaks for it than against it; what the checks of the settings found
    (`preflight`) supports it, and alone makes none. One whose core rules are consequences of a cause that began no
    later is folded under that cause, and so is what a proven cause explains although it showed a little earlier.
    """
    fired = {outcome.rule: outcome for outcome in outcomes if outcome.verdict is Verdict.FIRED}
    settings = {outcome.rule: outcome for outcome in preflight if outcome.verdict is Verdict.FIRED}
    candidates = [found for entry in CATALOG if (found := _candidate(entry, fired, settings, run)) is not None]
    kept = _folded(sorted(candidates, key=lambda found: _by_time(found, candidates)))
    kept.sort(key=_by_weight)
    return tuple(_cause(found, run, settings) for found in kept)


def _candidate(
    entry: CauseEntry, fired: Mapping[str, Outcome], settings: Mapping[str, Outcome], run: Run
) -> _Candidate | None:
    clues = _counting(entry.core, fired, run)
    core = _named(dict.fromkeys(clue.rule for clue in clues), fired)
    support = _named(entry.support, fired)
    against = _named((clue.rule for clue in _counting(entry.against, fired, run)), fired)
    hints = _named(entry.preflight, settings)
    score = _weight(core) + SUPPORT * _weight((*support, *hints)) - _weight(against)
    if not core or score <= 0:
        return None
    start = min(outcome.first_step or 0 for outcome in core)
    followed = tuple(outcome for outcome in _named(entry.consequences, fired) if _began_since(start, outcome))
    explained = {outcome.rule: outcome for outcome in (*core, *support, *followed)}
    return _Candidate(
        entry=entry,
        core=core,
        outcomes=tuple(explained.values()),
        against=tuple(outcome.rule for outcome in against),
        score=score,
        is_proven=any(clue.proves(fired[clue.rule], run) for clue in clues),
        order=int(np.searchsorted(run.steps, start)),
    )


def _counting(clues: Iterable[Clue], fired: Mapping[str, Outcome], run: Run) -> list[Clue]:
    return [clue for clue in clues if clue.rule in fired and clue.counts(fired[clue.rule], run)]


def _worst(outcomes: Iterable[Outcome]) -> Severity:
    return max((outcome.severity or Severity.INFO for outcome in outcomes), key=lambda severity: severity.rank)


def _by_time(found: _Candidate, candidates: Sequence[_Candidate]) -> tuple[bool, int, int, float]:
    return not found.is_proven, found.first_step, -found.brought_about(candidates), -found.score


def _by_weight(found: _Candidate) -> tuple[int, bool, int, float, int]:
    return -found.severity.rank, not found.is_proven, -_worst(found.core).rank, -found.score, found.first_step


def _began_since(start: int, outcome: Outcome) -> bool:
    return outcome.rule in OVER_A_STRETCH or (outcome.first_step or 0) >= start


def _named(rules: Iterable[str], fired: Mapping[str, Outcome]) -> tuple[Outcome, ...]:
    return tuple(fired[rule] for rule in rules if rule in fired)


def _weight(outcomes: Iterable[Outcome]) -> float:
    return sum(WEIGHTS[outcome.grade] for outcome in outcomes)


def _folded(by_time: Sequence[_Candidate]) -> list[_Candidate]:
    kept: list[_Candidate] = []
    for found in by_time:
        for index, earlier in enumerate(kept):
            is_turned = found.is_graver_than(earlier) and found.brings_about(earlier)
            if earlier.brings_about(found) and not is_turned:
                kept[index] = earlier.with_folded(found)
                break
        else:
            later = [other for other in kept if found.brings_about(other)]  # graver than what showed just before
            kept = [
                *(other for other in kept if other not in later),
                functools.reduce(_Candidate.with_folded, later, found),
            ]
    return kept


def _cause(found: _Candidate, run: Run, settings: Mapping[str, Outcome]) -> Cause:
    core = [outcome.rule for outcome in found.core]
    form = next((variant for variant in found.entry.variants if variant.holds(run, core)), None)
    return Cause(
        cause=found.entry.name,
        severity=found.severity,
        summary=Message(found.entry.template_of(form)),
        first_step=found.first_step,
        last_step=max(outcome.last_step or 0 for outcome in found.outcomes),
        outcomes=tuple(outcome.rule for outcome in found.outcomes),
        against=found.against,
        fixes=_fixes(fixes_for(run, _remedies(found.entry, form)), _named(found.entry.preflight, settings)),
        rivals=_rivals(found),
    )


def _fixes(of_remedies: Sequence[Fix], settings: Iterable[Outcome]) -> tuple[Fix, ...]:
    """The fixes, each argument once: where a check of the settings suggests a value too, the farther-reaching counts.

    A setting outside of the range that is documented goes back into it, however little of the excess a run shows.
    """
    found = {fix.parameter: fix for fix in of_remedies}
    for fix in (fix for outcome in settings for fix in outcome.fixes if fix.suggested is not None):
        known = found.get(fix.parameter)
        if known is not None and _reach(fix) >= _reach(known):
            found[fix.parameter] = fix
    return tuple(found.values())


def _reach(fix: Fix) -> float:
    """How far a fix goes from the current value, as a log ratio; from none or 0, how large a value it sets."""
    values = (fix.current, fix.suggested)
    if not is_number(fix.suggested):
        return -math.inf
    current, suggested = (float(value) if is_number(value) else 0.0 for value in values)
    return abs(math.log(suggested / current)) if current > 0 and suggested > 0 else suggested


def _remedies(entry: CauseEntry, form: Variant | None) -> tuple[str, ...]:
    return entry.remedies if form is None else form.remedies


def _rivals(found: _Candidate) -> tuple[Rival, ...]:
    """The causes that the same findings may mean as well: those with findings of their own first."""
    core = {outcome.rule for outcome in found.core}
    pointing = {entry.name: {clue.rule for clue in entry.core} for entry in CATALOG}
    evident = [
        other.entry.name for other in found.folded if other.entry.name in found.entry.rivals and not other.against
    ]
    alike = [name for name in found.entry.rivals if core & pointing[name]]
    names = list(dict.fromkeys([*evident, *alike]))[:MOST_RIVALS]
    return tuple(Rival(name, Message(f"{found.entry.template}.or.{name}")) for name in names)
