"""Severity escalation between rules: a warning alone may be critical beside another rule."""

from collections.abc import Iterable, Mapping
from typing import Any

from diagnostics.model.outcome import Outcome, Severity
from diagnostics.rules.rule import Rule


def escalated(rules: Iterable[Rule[Any, Any]], outcomes: Iterable[Outcome]) -> tuple[Outcome, ...]:
    """The outcomes with severities that take the other outcomes into account.

    Where one of a rule's `graver_with` warns of the same steps, its warning is critical.
    """
    found, by_name = tuple(outcomes), {rule.name: rule for rule in rules}
    warnings = {outcome.rule: outcome for outcome in found if outcome.is_alarm}
    return tuple(
        outcome.of_severity(Severity.CRITICAL)
        if outcome.rule in warnings and _shares_steps(outcome, by_name[outcome.rule].graver_with, warnings)
        else outcome
        for outcome in found
    )


def _shares_steps(outcome: Outcome, names: tuple[str, ...], warnings: Mapping[str, Outcome]) -> bool:
    """Whether one of these rules warns of the same steps."""
    return any(name in warnings and _overlap(outcome, warnings[name]) for name in names)


def _overlap(one: Outcome, other: Outcome) -> bool:
    """Whether an episode of the one that is a warning or worse shares steps with such a one of the other."""
    return any(
        max(mine.first_step, theirs.first_step) <= min(mine.last_step, theirs.last_step)
        for mine in one.alarms
        for theirs in other.alarms
    )
