"""Tests of values that follow from what a run shows."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from diagnostics.causes.remedies.catalog import REMEDIES, TEXTS
from diagnostics.causes.remedies.from_measurements import update_size
from diagnostics.model.messages import render
from diagnostics.model.run import Run
from diagnostics.model.samples import Sample, Samples

MakeRun = Callable[..., Run]


def suggested(run: Run, remedy: str) -> Any:
    fix = REMEDIES[remedy].fix(run)
    assert fix is None or "{" not in render(fix.why, TEXTS)
    return None if fix is None else fix.suggested


@pytest.mark.parametrize(("size", "rate"), [("0.04", 5e-4), ("1", 1e-4), ("1e9", 1e-6)])
def test_a_learning_rate_falls_with_the_root_of_the_excess(make_run: MakeRun, size: str, rate: float) -> None:
    run = make_run("ppo", approx_kl=f"0.005x5 {size}x9", config={"learning_rate": 1e-3})
    assert suggested(run, "fitted-learning-rate") == rate


def test_an_update_within_the_target_or_of_unknown_size_suggests_none(make_run: MakeRun) -> None:
    config = {"learning_rate": 1e-3}
    for run in (make_run("ppo", approx_kl="0.01x20", config=config), make_run("grpo", reward="1x20", config=config)):
        assert suggested(run, "fitted-learning-rate") is None


def test_one_outlier_is_no_update_and_a_leap_from_the_reference_is(make_run: MakeRun) -> None:
    outlier, leap = make_run("grpo", kl_per_token="0x10 9x1 0x10"), make_run("grpo", kl_per_token="0x10 0.9x10")
    assert update_size(outlier) == 0
    assert update_size(leap) == pytest.approx(0.1)
    assert update_size(make_run("ppo", approx_kl="0x10 5x1 0x10")) == 0


@pytest.mark.parametrize(
    ("algorithm", "name", "value", "better"),
    [
        ("grpo", "beta", 10.0, 0.04),
        ("grpo", "beta", 0.3, 0.1),
        ("ppo", "kl_coef", 5.0, 0.05),
        ("ppo", "kl_coef", 0, None),
    ],
)
def test_a_penalty_far_beyond_the_default_goes_back_to_it(
    make_run: MakeRun, algorithm: str, name: str, value: float, better: float | None
) -> None:
    assert suggested(make_run(algorithm, config={name: value}), "weaker-kl") == better


@pytest.mark.parametrize(("algorithm", "rate"), [("grpo", 1e-6), ("ppo", 3e-6)])
def test_a_learning_rate_of_0_becomes_the_trainers_own(make_run: MakeRun, algorithm: str, rate: float) -> None:
    assert suggested(make_run(algorithm, config={"learning_rate": 0.0}), "raised-learning-rate") == rate
    assert suggested(make_run(algorithm, config={"learning_rate": 1e-9}), "raised-learning-rate") is None


def test_a_function_that_returned_nan_is_left_out_unless_it_is_the_only_one(make_run: MakeRun) -> None:
    functions = {"reward_func_mean/right": "0.5x9", "reward_func_mean/broken": "0.5x4 nanx5"}
    config = {"reward_funcs": ["right", "broken:4"]}
    assert suggested(make_run("grpo", functions=functions, config=config), "finite-functions") == ["right"]
    alone = make_run("grpo", functions={"reward_func_mean/broken": "nanx9"}, config={"reward_funcs": ["broken"]})
    assert suggested(alone, "finite-functions") is None
    sound = make_run("grpo", functions={**functions, "reward_func_mean/broken": "0.5x9"}, config=config)
    assert suggested(sound, "finite-functions") is None


def marked(make_run: MakeRun, kind: Callable[[int], float], marks: Callable[[int], float]) -> Run:
    functions = {"reward_func_mean/kind": "0.5x9", "reward_func_mean/marks": "0.5x9"}
    run = make_run("ppo", functions=functions, config={"reward_weights": []})

    def load(step: int) -> tuple[Sample, ...]:
        rewards = [{"kind": kind(row), "marks": marks(row)} for row in range(16)]
        return tuple(Sample(step, "q", "so nice" + "!" * row, rewards=rewards[row]) for row in range(16))

    return replace(run, samples=Samples((1, 2), load))


def test_the_function_that_pays_for_marks_loses_its_weight(make_run: MakeRun) -> None:
    run = marked(make_run, kind=lambda row: row * 7 % 16, marks=lambda row: row)
    assert suggested(run, "unpaid-marks") == [1.0, 0.0]


def test_where_both_functions_pay_for_marks_or_none_does_only_a_person_can_say(make_run: MakeRun) -> None:
    both = marked(make_run, kind=lambda row: row, marks=lambda row: row)
    none = marked(make_run, kind=lambda row: row * 7 % 16, marks=lambda row: 1.0)
    assert (suggested(both, "unpaid-marks"), suggested(none, "unpaid-marks")) == (None, None)


def test_a_clip_range_far_below_the_usual_one_is_restored(make_run: MakeRun) -> None:
    assert suggested(make_run("ppo", config={"cliprange": 0.001}), "wider-clip-range") == 0.2
    assert suggested(make_run("ppo", config={"cliprange": 0.1}), "wider-clip-range") == 0.14


PULLED = {"kl_per_sequence": "0..4x20 4x10", "length_mean": "10x30"}


def test_a_penalty_outweighs_what_a_nat_earned_on_the_way(make_run: MakeRun) -> None:
    run = make_run("ppo", score="0..2x20 2x10", config={"kl_coef": 0.05}, **PULLED)
    assert suggested(run, "fitted-kl") == pytest.approx(0.5, abs=0.05)  # 2 of reward for 4 nats


def test_a_reward_that_jumped_before_the_policy_moved_was_not_earned_by_moving(make_run: MakeRun) -> None:
    logged = {"kl_per_sequence": "0x15 0..4x20", "length_mean": "10x35"}
    jumped = make_run("ppo", score="0x10 5x5 5..7x20", config={"kl_coef": 0.05}, **logged)
    assert suggested(jumped, "fitted-kl") == pytest.approx(0.5, abs=0.05)


def test_a_penalty_is_set_against_rewards_as_the_loss_sees_them(make_run: MakeRun) -> None:
    logged = {
        "reward": "0..2x20 2x10",
        "reward_std": "0.5x30",
        "kl_per_token": "0..0.4x20 0.4x10",
        "length_mean": "10x30",
    }
    scaled = make_run("grpo", config={"beta": 0.05}, **logged)
    plain = make_run("grpo", config={"beta": 0.05, "scale_rewards": "none"}, **logged)
    assert suggested(scaled, "fitted-kl") == pytest.approx(2 * suggested(plain, "fitted-kl"), rel=0.05)


@pytest.mark.parametrize(
    "logged",
    [
        {"score": "0..2x20 2x10", "kl_per_sequence": "0..1x30", "length_mean": "10x30"},  # it did not go far
        {"score": "0..0.1x30", **PULLED},  # a usual penalty outweighs it already
        {"score": "0..2x20 2x10", "kl_per_sequence": "0..4x20 4x10"},  # per token or not is not known
    ],
)
def test_without_more_to_outweigh_the_usual_step_is_suggested(make_run: MakeRun, logged: dict[str, str]) -> None:
    run = make_run("ppo", config={"kl_coef": 0.05}, **logged)
    assert (suggested(run, "fitted-kl"), suggested(run, "stronger-kl")) == (None, 0.15)
