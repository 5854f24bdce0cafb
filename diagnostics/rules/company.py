"""The company that a finding keeps: what is a warning alone may be critical beside another."""

import dataclasses
from collections.abc import Iterable, Mapping
from typing import Any

from diagnostics.diagnosis import Outcome, Severity, Verdict
from diagnostics.rules.rule import Rule


def with_company(rules: Iterable[Rule[Any]], outcomes: Iterable[Outcome]) -> tuple[Outcome, ...]:
    """The outcomes, those critical whose rule is graver with another one that warns of the same steps."""
    found = tuple(outcomes)
    partners = {rule.name: rule.graver_with for rule in rules if rule.graver_with}
    warning = {outcome.rule: outcome for outcome in found if _warns(outcome)}
    return tuple(
        dataclasses.replace(outcome, severity=Severity.CRITICAL)
        if outcome.rule in warning and _is_accompanied(outcome, partners.get(outcome.rule, ()), warning)
        else outcome
        for outcome in found
    )


def _is_accompanied(outcome: Outcome, names: tuple[str, ...], warning: Mapping[str, Outcome]) -> bool:
    return any(name in warning and _meet(outcome, warning[name]) for name in names)


def _meet(one: Outcome, other: Outcome) -> bool:
    """Whether their steps overlap."""
    first, last = (one.first_step or 0, other.first_step or 0), (one.last_step or 0, other.last_step or 0)
    return max(first) <= min(last)


def _warns(outcome: Outcome) -> bool:
    is_worse = outcome.severity is not None and outcome.severity is not Severity.INFO
    return outcome.verdict is Verdict.FIRED and is_worse
