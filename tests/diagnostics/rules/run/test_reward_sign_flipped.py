"""Tests of reward-sign-flipped."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from diagnostics.model.outcome import Outcome, Severity, Verdict
from diagnostics.model.run import Run
from diagnostics.rules import engine
from diagnostics.rules.run.reward_sign_flipped import RewardSignFlipped

Judge = Callable[..., Outcome]
RULE = "reward-sign-flipped"
FUNCTION = np.random.default_rng(3).normal(0.5, 0.1, size=40)


def outcome_of(judge: Judge, reward: object, name: str = "accuracy", **functions: object) -> Outcome:
    means = {f"reward_func_mean/{name}": FUNCTION, **functions}
    return judge(RULE, "grpo", reward=reward, functions=means)


def test_a_reward_that_mirrors_its_function_is_a_warning(judge: Judge) -> None:
    outcome = outcome_of(judge, -FUNCTION)
    assert (outcome.severity, outcome.first_step, outcome.message.values["function"]) == (
        Severity.WARNING,
        10,
        "accuracy",
    )


def test_the_weight_without_its_sign_is_to_be_tried(judge: Judge) -> None:
    functions = {"reward_func_mean/accuracy": FUNCTION}
    outcome = judge(RULE, "grpo", config={"reward_weights": [-1.0]}, reward=-FUNCTION, functions=functions)
    assert [(fix.parameter, fix.suggested) for fix in outcome.fixes] == [
        ("reward_weights", [1.0]),
        ("reward_funcs", None),
    ]


def test_a_sign_that_changes_during_the_run_is_found(judge: Judge) -> None:
    assert 20 <= (outcome_of(judge, np.concatenate([FUNCTION[:20], -FUNCTION[20:]])).first_step or 0) <= 30


def test_the_function_itself_a_penalty_and_noise_are_quiet(judge: Judge) -> None:
    noise = np.random.default_rng(4).normal(size=40)
    for reward in (FUNCTION, 100 * FUNCTION, FUNCTION - 1, noise):
        assert outcome_of(judge, reward).verdict is Verdict.QUIET


def test_fourteen_points_are_needed(judge: Judge) -> None:
    assert judge(RULE, "grpo", reward=-FUNCTION[:13], functions={"reward_func_mean/a": FUNCTION[:13]}).verdict is (
        Verdict.SKIPPED
    )


def test_a_penalty_on_form_and_several_functions_are_not_judged(judge: Judge) -> None:
    assert outcome_of(judge, -FUNCTION, name="length").verdict is Verdict.SKIPPED
    assert outcome_of(judge, -FUNCTION, **{"reward_func_mean/other": FUNCTION}).verdict is Verdict.SKIPPED


def test_it_is_skipped_where_no_function_is_logged(judge: Judge) -> None:
    assert judge(RULE, "grpo", reward=-FUNCTION).verdict is Verdict.SKIPPED


def negative(values: str, spread: str, name: str = "answer_is_right") -> dict[str, str]:
    return {f"reward_func_mean/{name}": values, f"reward_func_std/{name}": spread}


def test_a_function_for_what_is_right_that_never_gives_more_than_nothing_has_the_wrong_sign(judge: Judge) -> None:
    wrong = negative("-0.5x20 -0.5..0x20", "0.5x20 0.3x10 0x10", "answer_is_right")
    outcome = judge(RULE, "grpo", reward="0.5x40", functions={**wrong, "reward_func_mean/format": "1x40"})
    assert (outcome.severity, outcome.message.template) == (Severity.WARNING, "reward-sign-flipped.named")
    assert outcome.headline.template == "reward-sign-flipped.headline_named"
    named_otherwise = negative("-0.5x20 -0.5..0x20", "0.5x20 0.3x10 0x10", "length_penalty")
    one_or_minus_one = negative("-0.5x20 -0.5..0x20", "0.87x20 0.95x20")
    for functions in (named_otherwise, one_or_minus_one, negative("-0.5x39 0.01", "0.5x40"), negative("0x40", "0x40")):
        assert judge(RULE, "grpo", reward="0.5x40", functions=functions).verdict is not Verdict.FIRED


def test_rewards_that_are_never_above_nothing_and_rise_as_the_policy_turns_to_noise_have_the_wrong_sign(
    judge: Judge,
) -> None:
    functions = negative("-0.5x10 -0.5..-0.01x20 -0.01x10", "0.2x20 0.05x20", "words_in_place")
    logged = {"reward": "-0.5x10 -0.5..-0.01x20 -0.01x10", "functions": functions}
    outcome = judge(RULE, "grpo", entropy_per_token="0.3x10 0.3..1x20 1x10", **logged)
    assert (outcome.severity, outcome.message.template) == (Severity.WARNING, "reward-sign-flipped.noise")
    agreeing = judge(RULE, "grpo", entropy_per_token="0.3x10 0.3..0.1x20 0.1x10", **logged)
    assert agreeing.verdict is not Verdict.FIRED
    paid = functions | {"reward_func_mean/format": "1x40", "reward_func_std/format": "0x40"}
    one_pays = judge(RULE, "grpo", entropy_per_token="0.3x10 0.3..1x20 1x10", **logged | {"functions": paid})
    assert one_pays.verdict is not Verdict.FIRED


def test_rows_of_ten_steps_need_no_fifteen(make_run: Callable[..., Run]) -> None:
    functions = {"reward_func_mean/right": "-0.5x4 -0.3x4", "reward_func_std/right": "0.4x8"}
    run = make_run("grpo", reward="-0.5x4 -0.3x4", functions=functions, config={"logging_steps": 10})
    series = {name: replace(item, steps=10 * item.steps) for name, item in run.series.items()}
    (outcome,) = engine.evaluate(replace(run, series=series), [RewardSignFlipped()])
    assert outcome.message.template == "reward-sign-flipped.named"
    (outcome,) = engine.evaluate(run, [RewardSignFlipped()])
    assert outcome.verdict is Verdict.SKIPPED


def test_an_entropy_that_doubles_within_the_first_steps_and_wavers_since_has_grown(judge: Judge) -> None:
    wavers = np.concatenate([np.linspace(1.4, 1.6, 5), np.repeat([2.6, 3.4, 2.7, 3.3, 2.6], 7)])
    functions = {"reward_func_mean/in_place": "-0.3..-0.02x12 -0.02x28", "reward_func_std/in_place": "0.15x12 0.04x28"}
    logged = {"reward": "-0.3..-0.02x12 -0.02x28", "functions": functions}
    assert judge(RULE, "grpo", **logged, entropy_per_token=wavers).message.template == "reward-sign-flipped.noise"
    wavers[-3] = 2.0  # not half as much again as at the start
    assert judge(RULE, "grpo", **logged, entropy_per_token=wavers).verdict is Verdict.QUIET


@pytest.mark.parametrize(
    ("measured", "key"),
    [
        ({"truncated_fraction": "0.1x10 0.1..0.9x20 0.9x10"}, "cut_off"),
        ({"kl_per_token": "0..1.5x30 1.5x10"}, "far"),
        ({"truncated_fraction": "0.1x10 0.1..0.7x20 0.7x10", "kl_per_token": "0..0.9x30 0.9x10"}, ""),
    ],
)
def test_so_do_rewards_that_rise_while_answers_end_no_more_or_the_policy_goes_far(
    judge: Judge, measured: dict[str, str], key: str
) -> None:
    functions = negative("-0.5x10 -0.5..-0.01x20 -0.01x10", "0.2x20 0.05x20", "words_in_place")
    logged = {"reward": "-0.5x10 -0.5..-0.01x20 -0.01x10", "functions": functions, "entropy_per_token": "0.3x40"}
    outcome = judge(RULE, "grpo", **logged, **measured)
    assert (outcome.verdict is Verdict.FIRED, outcome.message.template.rpartition(".")[2]) == (
        (True, key) if key else (False, "quiet-unit")
    )
    good = logged | {"functions": negative("0.5x40", "0.5x40", "words_in_place")}
    assert judge(RULE, "grpo", **good, **measured).verdict is not Verdict.FIRED
