"""From fired outcomes to a few causes: scored by their evidence, consequences folded under what came first."""

import functools
import math
from collections.abc import Iterable, Mapping, Sequence

from diagnostics.causes.candidate import Candidate, candidate, named
from diagnostics.causes.catalog import CATALOG
from diagnostics.causes.cause import CauseEntry, Variant
from diagnostics.causes.remedies.catalog import fixes_for
from diagnostics.causes.remedy import is_number
from diagnostics.model.cause import Cause, Rival
from diagnostics.model.messages import Message
from diagnostics.model.outcome import Fix, Outcome, Verdict
from diagnostics.model.run import Run

MOST_RIVALS = 2  # beside the cause itself: three explanations are as many as one weighs


def explain(run: Run, outcomes: Sequence[Outcome], preflight: Sequence[Outcome] = ()) -> tuple[Cause, ...]:
    """The causes that the fired outcomes point at, worst first; empty where nothing fired or no cause is known.

    A cause counts when a core rule fired and more speaks for it than against it; what the checks of the settings found
    (`preflight`) supports it, and alone makes none. One whose core rules are consequences of a cause that began no
    later is folded under that cause, and so is what a proven cause explains although it showed a little earlier.
    """
    fired = {outcome.rule: outcome for outcome in outcomes if outcome.verdict is Verdict.FIRED}
    settings = {outcome.rule: outcome for outcome in preflight if outcome.verdict is Verdict.FIRED}
    candidates = [found for entry in CATALOG if (found := candidate(entry, fired, settings, run)) is not None]
    kept = _folded(sorted(candidates, key=lambda found: _by_time(found, candidates)))
    kept.sort(key=_by_weight)
    return tuple(_cause(found, run, settings) for found in kept)


def _by_time(found: Candidate, candidates: Sequence[Candidate]) -> tuple[bool, int, int, float]:
    return not found.is_proven, found.first_step, -found.brought_about(candidates), -found.score


def _by_weight(found: Candidate) -> tuple[int, bool, int, float, int]:
    return -found.severity.rank, not found.is_proven, -found.gravity.rank, -found.score, found.first_step


def _folded(by_time: Sequence[Candidate]) -> list[Candidate]:
    kept: list[Candidate] = []
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
                functools.reduce(Candidate.with_folded, later, found),
            ]
    return kept


def _cause(found: Candidate, run: Run, settings: Mapping[str, Outcome]) -> Cause:
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
        fixes=_fixes(fixes_for(run, _remedies(found.entry, form)), named(found.entry.preflight, settings)),
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


def _rivals(found: Candidate) -> tuple[Rival, ...]:
    """The causes that the same findings may mean as well: those with findings of their own first."""
    core = {outcome.rule for outcome in found.core}
    pointing = {entry.name: {clue.rule for clue in entry.core} for entry in CATALOG}
    evident = [
        other.entry.name for other in found.folded if other.entry.name in found.entry.rivals and not other.against
    ]
    alike = [name for name in found.entry.rivals if core & pointing[name]]
    names = list(dict.fromkeys([*evident, *alike]))[:MOST_RIVALS]
    return tuple(Rival(name, Message(f"{found.entry.template}.or.{name}")) for name in names)
