"""Vital checks: what must have been looked at before a run may be called healthy, and what kept it from being looked
at."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from diagnostics.model.messages import Message
from diagnostics.model.outcome import Outcome, Verdict

_RAN = frozenset({Verdict.QUIET, Verdict.FIRED})


@dataclass(frozen=True, slots=True)
class VitalCheck:
    """One thing to look at, by any of several rules; `enable` is what to log where none of them says it."""

    name: Message
    rules: tuple[str, ...]
    enable: Message


@dataclass(frozen=True, slots=True)
class VitalGap:
    """A vital check that could not run, and what would let it."""

    name: Message
    rules: tuple[str, ...]
    enable: Message


def vital_gaps(checks: Sequence[VitalCheck], outcomes: Sequence[Outcome]) -> tuple[VitalGap, ...]:
    """The checks of which no rule came to a result."""
    by_rule = {outcome.rule: outcome for outcome in outcomes}
    gaps = []
    for check in checks:
        judged = [by_rule[rule] for rule in check.rules if rule in by_rule]
        if not any(outcome.verdict in _RAN for outcome in judged):
            told = [outcome.enable for outcome in judged if outcome.applies and outcome.enable]
            gaps.append(VitalGap(check.name, check.rules, min(told, key=_points_wanted, default=check.enable)))
    return tuple(gaps)


def _points_wanted(enable: Message) -> float:
    """How many points are enough, where points are all that is missing; else infinity, as more will not help."""
    needed = enable.values.get("needed")
    return float(needed) if isinstance(needed, int | float) else math.inf
