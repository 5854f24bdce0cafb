"""Tests of reward-component-dominates."""

from collections.abc import Callable
from typing import Any

from diagnostics.model.outcome import Outcome, Severity, Verdict

Judge = Callable[..., Outcome]


def function_spreads(**values: str) -> dict[str, Any]:
    return {"functions": {f"reward_func_std/{name}": value for name, value in values.items()}}


def test_form_with_nine_tenths_of_the_variance_for_twenty_points_is_noted(judge: Judge) -> None:
    outcome = judge("reward-component-dominates", "grpo", **function_spreads(length="3x24", accuracy="1x24"))  # 9 / 10
    assert (outcome.severity, outcome.message.values["function"]) == (Severity.INFO, "length")
    assert (
        judge("reward-component-dominates", "grpo", **function_spreads(length="2.9x40", accuracy="1x40")).verdict
        is Verdict.QUIET
    )


def test_twenty_points_less_one_are_not_enough(judge: Judge) -> None:
    given = function_spreads(length="1x10 3x19 1x21", accuracy="1x50")
    assert judge("reward-component-dominates", "grpo", **given).verdict is Verdict.QUIET


def test_the_task_may_dominate(judge: Judge) -> None:
    outcome = judge("reward-component-dominates", "grpo", **function_spreads(length="0.1x40", accuracy="1x40"))
    assert outcome.verdict is Verdict.QUIET


def test_weights_count(judge: Judge) -> None:
    given = function_spreads(length="1x40", accuracy="1x40")
    config = {"reward_funcs": ["length", "accuracy"], "reward_weights": [3.0, 1.0]}
    assert judge("reward-component-dominates", "grpo", config=config, **given).verdict is Verdict.FIRED
    config = {"reward_funcs": ["length", "accuracy"], "reward_weights": [1.0, 3.0]}
    assert judge("reward-component-dominates", "grpo", config=config, **given).verdict is Verdict.QUIET


def test_it_is_skipped_where_it_is_not_known_whose_the_weights_are(judge: Judge) -> None:
    given = function_spreads(length="1x40", accuracy="1x40")
    outcome = judge("reward-component-dominates", "grpo", config={"reward_weights": [3.0, 1.0]}, **given)
    assert (outcome.verdict, outcome.enable is not None) == (Verdict.SKIPPED, True)


def test_it_is_skipped_where_its_input_is_missing(judge: Judge) -> None:
    assert judge("reward-component-dominates", "grpo", reward="1x40").verdict is Verdict.SKIPPED
