"""Limits are immutable numbers with units and sources, which can be replaced by name."""

import pytest

from diagnostics.rules.limits import LimitDoc, RuleLimits, limit


class Limits(RuleLimits):
    """The limits of a made-up rule."""

    warning: float = limit(0.2, "nats/token", "a paper")
    patience: int = limit(3, "logged points", "engineering default")


def test_limits_have_the_declared_defaults_and_document_them() -> None:
    limits = Limits()
    assert (limits.warning, limits.patience) == (0.2, 3)
    assert limits.docs == (
        LimitDoc("warning", 0.2, "nats/token", "a paper"),
        LimitDoc("patience", 3, "logged points", "engineering default"),
    )


def test_a_replaced_limit_leaves_the_others_and_the_defaults_alone() -> None:
    replaced = Limits().replaced(patience=5)
    assert (replaced.warning, replaced.patience) == (0.2, 5)
    assert Limits().patience == 3


def test_limits_of_the_same_values_are_equal() -> None:
    assert Limits() == Limits().replaced(patience=3)
    assert Limits() != Limits(patience=5)


def test_a_limit_cannot_be_set_afterwards() -> None:
    with pytest.raises(AttributeError, match="warning cannot be set"):
        Limits().warning = 1.0  # type: ignore[misc]


def test_an_unknown_limit_is_refused_by_name() -> None:
    with pytest.raises(TypeError, match="Limits has no limit called wanring"):
        Limits().replaced(wanring=1.0)
