"""Severity escalation between rules: a warning alone may be critical beside another rule, or only there."""

from collections.abc import Iterable, Mapping
from typing import Any

from diagnostics.model.outcome import Outcome, Severity, Stretch, Verdict
from diagnostics.rules.rule import Rule


def escalated(rules: Iterable[Rule[Any, Any]], outcomes: Iterable[Outcome]) -> tuple[Outcome, ...]:
    """The outcomes with severities that take the other outcomes into account.

    Where one of a rule's `graver_with` warns of the same steps, its warning is critical; where none of its
    `critical_with` does, what would be critical is a warning.
    """
    found, by_name = tuple(outcomes), {rule.name: rule for rule in rules}
    warnings = {outcome.rule: outcome for outcome in found if _is_warning(outcome)}
    return tuple(
        outcome.of_severity(_severity(by_name[outcome.rule], outcome, warnings))
        if outcome.rule in warnings
        else outcome
        for outcome in found
    )


def _severity(rule: Rule[Any, Any], outcome: Outcome, warnings: Mapping[str, Outcome]) -> Severity:
    if _shares_steps(outcome, rule.graver_with, warnings):
        return Severity.CRITICAL
    if rule.critical_with and not _shares_steps(outcome, rule.critical_with, warnings):
        return Severity.WARNING
    return outcome.severity or Severity.WARNING


def _shares_steps(outcome: Outcome, names: tuple[str, ...], warnings: Mapping[str, Outcome]) -> bool:
    """Whether one of these rules warns of the same steps."""
    return any(name in warnings and _overlap(outcome, warnings[name]) for name in names)


def _overlap(one: Outcome, other: Outcome) -> bool:
    """Whether an episode of the one, above a note, shares steps with one of the other."""
    return any(
        max(mine.first_step, theirs.first_step) <= min(mine.last_step, theirs.last_step)
        for mine in _warning_episodes(one)
        for theirs in _warning_episodes(other)
    )


def _warning_episodes(outcome: Outcome) -> tuple[Stretch, ...]:
    return tuple(item for item in outcome.episodes if item.severity is not Severity.INFO)


def _is_warning(outcome: Outcome) -> bool:
    is_worse = outcome.severity is not None and outcome.severity is not Severity.INFO
    return outcome.verdict is Verdict.FIRED and is_worse
