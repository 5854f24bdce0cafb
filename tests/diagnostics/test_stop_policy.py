"""Tests of when a sick run is stopped."""

import pytest

from diagnostics.model.outcome import Severity
from diagnostics.stop_policy import Holding, StopPolicy

KNOWN = ("kl-runaway", "drastic-updates")
CRITICAL = Holding("drastic-updates", frozenset({"drastic-updates", "kl-runaway"}), Severity.CRITICAL)
WARNING = Holding("drastic-updates", frozenset({"drastic-updates", "kl-runaway"}), Severity.WARNING)


def reasons(policy: StopPolicy, *diagnoses: tuple[int | None, tuple[Holding, ...]]) -> list[str]:
    return [policy.reason(step, holding) for step, holding in diagnoses]


def test_what_holds_in_enough_diagnoses_in_a_row_is_a_reason() -> None:
    policy = StopPolicy("critical", 2, KNOWN)
    told = reasons(
        policy, (1, (CRITICAL,)), (2, ()), (3, (CRITICAL,)), (4, (WARNING,)), (5, (CRITICAL,)), (6, (CRITICAL,))
    )
    assert told == ["", "", "", "", "", "drastic-updates, critical"]


def test_a_diagnosis_without_newer_steps_confirms_nothing() -> None:
    policy = StopPolicy("critical", 2, KNOWN)
    told = reasons(policy, (None, (CRITICAL,)), (5, (CRITICAL,)), (5, (CRITICAL,)), (4, (CRITICAL,)), (6, (CRITICAL,)))
    assert told == ["", "", "", "", "drastic-updates, critical"]


def test_a_rule_is_a_reason_also_below_the_name_of_its_cause_and_at_any_severity() -> None:
    assert reasons(StopPolicy(["kl-runaway"], 1, KNOWN), (1, (WARNING,))) == ["drastic-updates, warning"]
    assert reasons(StopPolicy(["critical", "warning"], 1, KNOWN), (1, (WARNING,))) == ["drastic-updates, warning"]
    assert reasons(StopPolicy("critical", 1, KNOWN), (1, (WARNING,))) == [""]


def test_without_anything_to_stop_for_nothing_is_a_reason() -> None:
    assert reasons(StopPolicy(None, 1, KNOWN), (1, (CRITICAL,)), (2, (CRITICAL,))) == ["", ""]


def test_a_word_that_nobody_knows_is_refused() -> None:
    with pytest.raises(ValueError, match="did you mean 'critical'"):
        StopPolicy("critcal", 1, KNOWN)
