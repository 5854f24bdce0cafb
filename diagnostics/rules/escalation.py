"""The company that a finding keeps: what is a warning alone may be critical beside another, or only there."""

import dataclasses
from collections.abc import Iterable, Mapping
from typing import Any

from diagnostics.model.outcome import Outcome, Severity, Verdict
from diagnostics.rules.rule import Rule


def with_company(rules: Iterable[Rule[Any]], outcomes: Iterable[Outcome]) -> tuple[Outcome, ...]:
    """The outcomes, each as grave as the company of others that warn of the same steps makes it.

    With one of `graver_with` a warning is critical; without any of `critical_with` what would be critical is a warning.
    """
    found, by_name = tuple(outcomes), {rule.name: rule for rule in rules}
    warning = {outcome.rule: outcome for outcome in found if _warns(outcome)}
    return tuple(
        dataclasses.replace(outcome, severity=_severity(by_name[outcome.rule], outcome, warning))
        if outcome.rule in warning
        else outcome
        for outcome in found
    )


def _severity(rule: Rule[Any], outcome: Outcome, warning: Mapping[str, Outcome]) -> Severity | None:
    if _is_accompanied(outcome, rule.graver_with, warning):
        return Severity.CRITICAL
    if rule.critical_with and not _is_accompanied(outcome, rule.critical_with, warning):
        return Severity.WARNING
    return outcome.severity


def _is_accompanied(outcome: Outcome, names: tuple[str, ...], warning: Mapping[str, Outcome]) -> bool:
    return any(name in warning and _meet(outcome, warning[name]) for name in names)


def _meet(one: Outcome, other: Outcome) -> bool:
    """Whether their steps overlap."""
    first, last = (one.first_step or 0, other.first_step or 0), (one.last_step or 0, other.last_step or 0)
    return max(first) <= min(last)


def _warns(outcome: Outcome) -> bool:
    is_worse = outcome.severity is not None and outcome.severity is not Severity.INFO
    return outcome.verdict is Verdict.FIRED and is_worse
