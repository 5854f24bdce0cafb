"""From fired outcomes to a few causes: scored by their evidence, consequences merged into what came first."""

import functools
import math
from collections.abc import Iterable, Mapping, Sequence

from diagnostics.causes.catalog import CATALOG
from diagnostics.causes.hypothesis import Hypothesis, hypothesis_of, outcomes_of
from diagnostics.causes.remedies.catalog import fixes_for
from diagnostics.causes.remedies.suggestions import is_number
from diagnostics.causes.rivals import rival_causes, summary_beside
from diagnostics.model.cause import Cause
from diagnostics.model.outcome import Fix, Outcome, Verdict
from diagnostics.model.run import Run


def ranked_causes(run: Run, outcomes: Sequence[Outcome], preflight: Sequence[Outcome] = ()) -> tuple[Cause, ...]:
    """The causes that the fired outcomes indicate, worst first; empty where nothing fired or no cause is known.

    A cause counts when a core indicator applies and more speaks for it than against it. Settings checks (`preflight`)
    support a cause, and make none by themselves. A cause whose core findings are consequences of another one that
    began no later is merged into it, and so is what a proven cause explains although it showed a little earlier.
    """
    fired, settings = _fired(outcomes), _fired(preflight)
    found = [hypothesis_of(entry, fired, settings, run) for entry in CATALOG]
    merged = _merge_consequences([hypothesis for hypothesis in found if hypothesis is not None])
    return tuple(_cause(hypothesis, run, fired, settings) for hypothesis in sorted(merged, key=_rank))


def _fired(outcomes: Iterable[Outcome]) -> dict[str, Outcome]:
    return {outcome.rule: outcome for outcome in outcomes if outcome.verdict is Verdict.FIRED}


def _merge_consequences(hypotheses: Sequence[Hypothesis]) -> list[Hypothesis]:
    """The hypotheses that no other one explains, each with those that it explains."""
    roots: list[Hypothesis] = []
    for hypothesis in sorted(hypotheses, key=lambda item: _chronology(item, hypotheses)):
        for index, root in enumerate(roots):
            is_behind = hypothesis.escalates_after(root) or (root.is_effect and not hypothesis.is_effect)
            is_reversed = is_behind and hypothesis.explains(root)
            if root.explains(hypothesis) and not is_reversed:
                roots[index] = root.with_explained(hypothesis)
                break
        else:
            effects = [root for root in roots if hypothesis.explains(root)]  # these showed just before their cause
            roots = [root for root in roots if root not in effects]
            roots.append(functools.reduce(Hypothesis.with_explained, effects, hypothesis))
    return roots


def _chronology(hypothesis: Hypothesis, hypotheses: Sequence[Hypothesis]) -> tuple[bool, int, int, float]:
    """What is proven first, then the earliest, then what explains the most."""
    explained = sum(hypothesis.explains(other) for other in hypotheses if other is not hypothesis)
    return not hypothesis.is_proven, hypothesis.began, -explained, -hypothesis.score


def _rank(hypothesis: Hypothesis) -> tuple[int, bool, int, int, float, int]:
    """The most severe first, then what is proven, what was so before any training, and the best supported."""
    severity, core_severity = hypothesis.severity.rank, hypothesis.core_severity.rank
    place = 2 if hypothesis.entry.is_often_meant else int(not hypothesis.is_from_the_start)
    return -severity, not hypothesis.is_proven, -core_severity, place, -hypothesis.score, hypothesis.began


def _cause(hypothesis: Hypothesis, run: Run, fired: Mapping[str, Outcome], settings: Mapping[str, Outcome]) -> Cause:
    entry, core = hypothesis.entry, tuple(outcome.rule for outcome in hypothesis.core)
    variant = next((variant for variant in entry.variants if variant.holds(run, core)), None)
    remedies = entry.remedies if variant is None else variant.remedies
    rivals = rival_causes(hypothesis, run, fired)
    return Cause(
        cause=entry.name,
        severity=hypothesis.severity,
        summary=summary_beside(rivals, entry.template(variant)),
        first_step=hypothesis.since,
        last_step=max(outcome.last_step or 0 for outcome in hypothesis.outcomes),
        outcomes=tuple(outcome.rule for outcome in hypothesis.outcomes),
        signs=core,
        against=hypothesis.against,
        fixes=_merge_fixes(fixes_for(run, remedies), outcomes_of(entry.preflight, settings)),
        rivals=rivals,
    )


def _merge_fixes(of_remedies: Sequence[Fix], settings: Iterable[Outcome]) -> tuple[Fix, ...]:
    """The fixes, each argument once: where a settings check suggests a value too, the larger change counts.

    A setting outside its documented range goes back into it, however little of the excess a run shows.
    """
    merged = {fix.parameter or fix.why.template: fix for fix in of_remedies}
    for fix in (fix for outcome in settings for fix in outcome.fixes if fix.suggested is not None):
        known = merged.get(fix.parameter)
        if known is not None and _size_of_change(fix) >= _size_of_change(known):
            merged[fix.parameter] = fix
    return tuple(merged.values())


def _size_of_change(fix: Fix) -> float:
    """The log ratio of suggested to current value; from none or 0, the suggested value."""
    if not is_number(fix.suggested):
        return -math.inf
    current = float(fix.current) if is_number(fix.current) else 0.0
    suggested = float(fix.suggested)
    return abs(math.log(suggested / current)) if current > 0 and suggested > 0 else suggested
