"""Fixes are written as they are typed; rules that could not run share their reasons."""

import pytest

from diagnostics.model.messages import Message
from diagnostics.model.outcome import Fix, Outcome, Verdict
from diagnostics.wording.findings import fix_line, skip_reasons


def too_few_points(rule: str, needed: int) -> Outcome:
    values = {"needed": needed, "found": 15}
    enable = Message("engine.too-few.enable", values)
    return Outcome("RV101", rule, Verdict.SKIPPED, Message("engine.too-few", values), enable=enable)


def missing_metric(rule: str) -> Outcome:
    values = {"names": "reward_std"}
    enable = Message("missing.metric.enable", values)
    return Outcome("RV101", rule, Verdict.SKIPPED, Message("missing.metric", values), enable=enable)


@pytest.mark.parametrize(
    ("current", "suggested", "line"),
    [
        (0.005, 0.0005, "learning_rate 0.005 → 0.0005"),
        (5e-06, 1e-06, "learning_rate 5e-06 → 1e-06"),
        (None, 1e-05, "learning_rate = 1e-05"),
        (None, None, "learning_rate"),
    ],
)
def test_advice_is_written_as_it_is_typed(current: float | None, suggested: float | None, line: str) -> None:
    why = Message("remedy.lower-learning-rate")
    assert fix_line(Fix("learning_rate", current, suggested, why, "")).partition(": ")[0] == line


def test_rules_that_want_more_points_share_one_reason() -> None:
    reasons = skip_reasons(
        [
            too_few_points("kl-runaway", 65),
            missing_metric("a"),
            too_few_points("entropy-collapse", 40),
            missing_metric("b"),
        ]
    )
    assert reasons == (
        "Too few logged points so far; needed: kl-runaway 65, entropy-collapse 40.",
        "The log has no metric reward_std. Log reward_std. [a, b]",
    )
