"""Tests of reward-func-stagnant."""

from collections.abc import Callable

from diagnostics.model.outcome import Outcome, Severity, Verdict
from diagnostics.model.run import Run
from diagnostics.rules import CATALOG

Judge = Callable[..., Outcome]

RISING = "0.1..0.9x50"
FLAT = " ".join(["0.2 0.3"] * 25)


def two_functions(first: str, second: str) -> dict[str, dict[str, str]]:
    return {"functions": {"reward_func_mean/format": first, "reward_func_mean/accuracy": second}}


def test_a_function_that_stays_while_the_total_rises_is_noted(judge: Judge) -> None:
    outcome = judge("reward-func-stagnant", "grpo", reward=RISING, **two_functions(RISING, FLAT))
    assert (outcome.severity, outcome.metric) == (Severity.INFO, "reward_func_mean/accuracy")


def test_two_rising_functions_are_quiet(judge: Judge) -> None:
    assert (
        judge("reward-func-stagnant", "grpo", reward=RISING, **two_functions(RISING, "0..0.5x50")).verdict
        is Verdict.QUIET
    )


def test_a_total_that_stays_is_another_rules_business(judge: Judge) -> None:
    assert judge("reward-func-stagnant", "grpo", reward=FLAT, **two_functions(FLAT, FLAT)).verdict is Verdict.QUIET


def test_a_function_near_full_marks_has_no_room(judge: Judge) -> None:
    near = " ".join(["0.9 0.95"] * 25)
    assert judge("reward-func-stagnant", "grpo", reward=RISING, **two_functions(RISING, near)).verdict is Verdict.QUIET


def test_a_constant_function_is_another_rules_business(judge: Judge) -> None:
    assert (
        judge("reward-func-stagnant", "grpo", reward=RISING, **two_functions(RISING, "0x50")).verdict is Verdict.QUIET
    )


def test_forty_nine_points_are_too_few(judge: Judge) -> None:
    outcome = judge("reward-func-stagnant", "grpo", reward="0.1..0.9x49", **two_functions("0.1..0.9x49", FLAT))
    assert outcome.verdict is Verdict.SKIPPED


def test_a_single_function_is_the_total_so_it_does_not_apply(make_run: Callable[..., Run]) -> None:
    rule = next(rule for rule in CATALOG if rule.name == "reward-func-stagnant")
    assert not rule.applies(make_run("grpo", reward=RISING, functions={"reward_func_mean/accuracy": RISING}))


def test_it_is_skipped_where_its_inputs_are_missing(judge: Judge) -> None:
    assert judge("reward-func-stagnant", "grpo", kl_per_token="0x50").verdict is Verdict.SKIPPED
