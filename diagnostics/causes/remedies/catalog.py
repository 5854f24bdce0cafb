"""The catalogue of remedies, and the fixes that they make of a run."""

import dataclasses
from collections.abc import Iterable, Mapping

from diagnostics.causes.remedies.completions import COMPLETION_REMEDIES
from diagnostics.causes.remedies.engine import ENGINE_REMEDIES
from diagnostics.causes.remedies.infrastructure import INFRASTRUCTURE_REMEDIES
from diagnostics.causes.remedies.remedy import Remedy
from diagnostics.causes.remedies.rewards import REWARD_REMEDIES
from diagnostics.causes.remedies.speed import SPEED_REMEDIES
from diagnostics.causes.remedies.updates import UPDATE_REMEDIES
from diagnostics.model.outcome import Fix, Outcome
from diagnostics.model.run import Run

_ALL = (
    *UPDATE_REMEDIES,
    *COMPLETION_REMEDIES,
    *REWARD_REMEDIES,
    *INFRASTRUCTURE_REMEDIES,
    *ENGINE_REMEDIES,
    *SPEED_REMEDIES,
)

REMEDIES: Mapping[str, Remedy] = {remedy.name: remedy for remedy in _ALL}
TEXTS: Mapping[str, str] = {remedy.template: remedy.why for remedy in _ALL}


def fixes_for(run: Run, names: tuple[str, ...]) -> tuple[Fix, ...]:
    """The fixes of these remedies that mean something for the run, in order, each argument once."""
    found: dict[str, Fix] = {}
    for name in names:
        fix = REMEDIES[name].fix(run)
        if fix is not None:
            found.setdefault(fix.parameter or name, fix)
    return tuple(found.values())


def with_fixes(run: Run, outcomes: Iterable[Outcome]) -> tuple[Outcome, ...]:
    """The outcomes, each with the fixes of the remedies that it names."""
    return tuple(
        dataclasses.replace(outcome, fixes=fixes_for(run, outcome.remedies)) if outcome.remedies else outcome
        for outcome in outcomes
    )
