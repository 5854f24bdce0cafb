"""Tests of the KL penalty that a run asks for."""

from collections.abc import Callable
from typing import Any

import pytest

from diagnostics.model.run import Run

MakeRun = Callable[..., Run]
Suggested = Callable[[Run, str], Any]


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
    suggested: Suggested, make_run: MakeRun, algorithm: str, name: str, value: float, better: float | None
) -> None:
    assert suggested(make_run(algorithm, config={name: value}), "weaker-kl") == better


PULLED = {"kl_per_sequence": "0..4x20 4x10", "length_mean": "10x30"}


def test_a_penalty_outweighs_what_a_nat_earned_on_the_way(suggested: Suggested, make_run: MakeRun) -> None:
    run = make_run("ppo", score="0..2x20 2x10", config={"kl_coef": 0.05}, **PULLED)
    assert suggested(run, "fitted-kl") == pytest.approx(0.5, abs=0.05)  # 2 of reward for 4 nats


@pytest.mark.parametrize("empty", [11, 30])
def test_steps_at_which_no_answer_has_a_token_do_not_count(suggested: Suggested, make_run: MakeRun, empty: int) -> None:
    logged = {"kl_per_sequence": f"0..4x20 4x10 0x{empty}", "length_mean": f"10x30 0x{empty}"}
    run = make_run("ppo", score=f"0..2x20 2x{10 + empty}", config={"kl_coef": 0.05}, **logged)
    assert suggested(run, "fitted-kl") == pytest.approx(0.5, abs=0.05)
    nothing = make_run("ppo", score="0..2x30", kl_per_sequence="0..4x30", length_mean="0x30", config={"kl_coef": 0.05})
    assert suggested(nothing, "fitted-kl") is None


def test_a_reward_that_jumped_before_the_policy_moved_was_not_earned_by_moving(
    suggested: Suggested, make_run: MakeRun
) -> None:
    logged = {"kl_per_sequence": "0x15 0..4x20", "length_mean": "10x35"}
    jumped = make_run("ppo", score="0x10 5x5 5..7x20", config={"kl_coef": 0.05}, **logged)
    assert suggested(jumped, "fitted-kl") == pytest.approx(0.5, abs=0.05)


def test_a_penalty_is_set_against_rewards_as_the_loss_sees_them(suggested: Suggested, make_run: MakeRun) -> None:
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
        {"score": "0..0.1x30", **PULLED},  # a usual penalty already outweighs it
        {"score": "0..2x20 2x10", "kl_per_sequence": "0..4x20 4x10"},  # whether it is per token is unknown
    ],
)
def test_without_more_to_outweigh_the_usual_step_is_suggested(
    suggested: Suggested, make_run: MakeRun, logged: dict[str, str]
) -> None:
    run = make_run("ppo", config={"kl_coef": 0.05}, **logged)
    assert (suggested(run, "fitted-kl"), suggested(run, "stronger-kl")) == (None, 0.15)
