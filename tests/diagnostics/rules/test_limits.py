"""Limits are immutable numbers with units and sources, which can be replaced by name."""

from collections.abc import Callable

import pytest

from diagnostics.model.outcome import Outcome
from diagnostics.rules.limits import LimitDoc, RuleLimits, limit
from diagnostics.wording.messages import message_text


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


SET_BY_USER = [  # a limit that the sentence used to spell out: rule, algorithm, limits, run, what is said
    ("reward-std-shrink", "grpo", {"share": 0.4}, {"reward_std": "0.5x30 0.1x20", "reward": "0.3x50"}, "40 % of its"),
    (
        "tiny-std-amplification",
        "grpo",
        {"share": 0.03},
        {"reward": "0..1x20 1x30", "reward_std": "0.25x20 0.01x10 0.25x20"},
        "below 3 % of it",
    ),
    (
        "reward-saturated",
        "grpo",
        {"silent": 0.25},
        {"reward": "0.5x10 0.96x30", "zero_std_fraction": "0.1x10 0.6x30"},
        "with 25 % of the groups",
    ),
    (
        "kl-penalty-dominates",
        "ppo",
        {"outweighed": 8.0},
        {"non_score_reward": "0 -5x5 -1x5", "score": "0.3 0.5x10"},
        "more than 8 times as large",
    ),
    (
        "lr-decayed-plateau",
        "grpo",
        {"share": 0.2},
        {"learning_rate": "1x60 0.09x30", "reward": "0..0.5x60 " + "0.5 0.52 0.48 0.51 0.49 " * 6},
        "below 20 % of its peak",
    ),
]


@pytest.mark.parametrize(
    ("rule", "algorithm", "limits", "run", "said"), SET_BY_USER, ids=[rule for rule, *_ in SET_BY_USER]
)
def test_a_sentence_gives_the_limit_that_was_set_not_the_default(
    judge: Callable[..., Outcome], rule: str, algorithm: str, limits: dict[str, float], run: dict[str, str], said: str
) -> None:
    assert said in message_text(judge(rule, algorithm, limits=limits, **run).message)
