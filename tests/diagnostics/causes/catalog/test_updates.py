"""Tests of causes in the updates themselves."""

import math
from collections.abc import Callable
from dataclasses import replace

import pytest

from diagnostics.api import diagnose
from diagnostics.model.messages import render
from diagnostics.model.run import Run
from diagnostics.model.samples import Sample, Samples
from diagnostics.texts import templates
from tests.diagnostics.causes.explained import causes, diagnosed

MakeRun = Callable[..., Run]


def test_negative_kl_contradicts_drastic_updates(make_run: MakeRun) -> None:
    run = make_run("ppo", kl_per_sequence="-3x20", approx_kl="0.04x20")
    assert causes(run) == ["sampling-unlike-policy"]


def test_a_kl_that_jumps_within_three_updates_shows_that_they_were_too_large(make_run: MakeRun) -> None:
    assert causes(make_run("grpo", kl_per_token="0x12 1x18")) == ["drastic-updates"]


@pytest.mark.parametrize("kl", ["0x12 0.89x18", "0x12 9x1 0.6x18", "0x5 0.1x3 0.3x3 0.6x3 1x3 1.5x3 2.1x9"])
def test_a_kl_that_drifts_or_has_an_outlier_has_a_weak_kl_penalty(make_run: MakeRun, kl: str) -> None:
    assert causes(make_run("grpo", kl_per_token=kl)) == ["kl-penalty-too-weak"]


def test_a_kl_between_points_that_lie_ten_steps_apart_does_not_show_single_updates(make_run: MakeRun) -> None:
    run = make_run("grpo", kl_per_token="0x12 1x18")
    kl = run.series["kl_per_token"]
    (cause,) = diagnosed(replace(run, series={kl.name: replace(kl, steps=kl.steps * 10)}))
    assert (cause.cause, cause.is_decided) == ("kl-penalty-too-weak", False)
    assert [rival.cause for rival in cause.rivals if rival.is_open] == ["drastic-updates"]
    assert diagnosed(run)[0].is_decided


@pytest.mark.parametrize(("epsilon", "cause"), [(0.2, "drastic-updates"), (0.01, "clip-range-too-tight")])
def test_what_clipping_means_depends_on_the_clip_range(make_run: MakeRun, epsilon: float, cause: str) -> None:
    run = make_run("grpo", clip_ratio_region_mean="0.5x20", config={"epsilon": epsilon})
    assert causes(run) == [cause]


def test_clipping_of_small_updates_is_a_tight_range_and_of_large_ones_is_not(make_run: MakeRun) -> None:
    assert causes(make_run("ppo", clip_fraction="0.6x20", approx_kl="0.001x20")) == ["clip-range-too-tight"]
    assert causes(make_run("ppo", clip_fraction="0.6x20", approx_kl="0.5x20")) == ["drastic-updates"]


def test_a_zero_gradient_although_rewards_differ_is_not_training(make_run: MakeRun) -> None:
    assert causes(make_run("grpo", grad_norm="0x40", zero_std_fraction="0.2x40")) == ["not-training"]


def test_weights_that_stand_still_are_no_matter_of_hard_prompts(make_run: MakeRun) -> None:
    still = {"entropy_per_token": "0.5x60", "kl_per_token": "0.0001x60", "grad_norm": "0.3x60"}
    run = make_run("grpo", reward="0.1 0.12 0.08x58", reward_std="0.3x60", zero_std_fraction="0.7x60", **still)
    assert causes(run)[:2] == ["not-training", "difficulty-mismatch"]


def test_a_nan_that_started_in_a_reward_suggests_no_lower_learning_rate(
    make_run: MakeRun,
) -> None:
    config = {"learning_rate": 1e-4}
    (first,) = diagnosed(make_run("grpo", reward="1x9 nanx9", loss="1x10 nanx8", config=config))
    assert first.cause == "numerical-breakdown"
    assert "learning_rate" not in {fix.parameter for fix in first.fixes}
    assert "reward" in render(first.summary, templates())
    (other,) = diagnosed(make_run("grpo", reward="1x18", loss="1x9 nanx9", config=config))
    assert "learning_rate" in {fix.parameter for fix in other.fixes}


def test_merely_large_updates_do_not_explain_a_kl_runaway(make_run: MakeRun) -> None:
    logged = {"ratio_mean": "1x40", "kl_per_sequence": "1x20 90x20", "score": "0.8x20 0.1x20"}
    assert causes(make_run("ppo", approx_kl="0.001x10 0.04x30", config={"kl_coef": 0.0}, **logged))[0] == (
        "kl-penalty-too-weak"
    )
    assert causes(make_run("ppo", approx_kl="0.001x10 0.4x30", config={"kl_coef": 0.0}, **logged)) == [
        "drastic-updates"
    ]


def test_everything_after_a_nan_is_one_cause(make_run: MakeRun) -> None:
    logged = {
        "score": "0.5x20 nanx20",
        "eos_tokens": "60x20 0x20",
        "length_mean": "7x20 14x20",
        "value_loss": "1x20 nanx20",
    }
    run = make_run("ppo", config={"response_length": 14, "local_batch_size": 64}, **logged)
    samples = Samples(tuple(range(1, 41)), lambda step: tuple(_until_nan(step, row) for row in range(16)))
    (cause,) = diagnose(replace(run, samples=samples)).causes
    assert cause.cause == "numerical-breakdown"
    assert {"nonfinite-metric", "smp-empty", "eos-never-generated"} <= set(cause.outcomes)


def _until_nan(step: int, row: int) -> Sample:
    text = f"an answer of ten words and more that says something {row}" if step <= 20 else ""
    return Sample(step, f"q{row}", text, score=row / 10 if step <= 20 else math.nan, terminated=step <= 20)


def test_a_policy_that_was_wrecked_at_once_says_so_before_what_it_earns(make_run: MakeRun) -> None:
    wreck = {
        "kl_per_token": "0 8 6 9x57",
        "entropy_per_token": "0.3 2.2 0.9 0.1x57",
        "reward": "1.1 0x59",
        "reward_std": "0.6 0x59",
        "zero_std_fraction": "0 1x59",
    }
    assert causes(make_run("grpo", **wreck)) == ["drastic-updates"]


def test_a_certain_policy_that_grows_surer_still_was_carried_away_by_large_updates(make_run: MakeRun) -> None:
    logged = {
        "approx_kl": "12 50 28 0.6 0.2 0x55",
        "kl_per_sequence": "0 80 100x58",
        "score": "0.4 -0.4 -0.5 -0.45 " * 15,
    }
    entropy = "0.8 1.1 0.8 0.02 0.01 0.000002x30 0x25"
    assert causes(make_run("ppo", **logged, entropy_per_token=entropy))[0] == "drastic-updates"


@pytest.mark.parametrize(("passes", "found"), [(24, ["drastic-updates"]), (4, [])])
def test_a_gradient_that_grows_for_good_is_explained_by_many_updates_on_the_same_answers(
    make_run: MakeRun, passes: int, found: list[str]
) -> None:
    run = make_run("grpo", grad_norm="0.5 0.6 0.55 " * 14 + "4 5 4.5 " * 6, config={"num_iterations": passes})
    assert causes(run) == found


@pytest.mark.parametrize(("rate", "first"), [("0.05x60", "drastic-updates"), ("0.0005x60", "no-reward-signal")])
def test_a_learning_rate_beyond_any_explains_a_run_that_is_dead_in_its_first_row(
    make_run: MakeRun, rate: str, first: str
) -> None:
    functions = {"reward_func_mean/right": "0x60", "reward_func_std/right": "0x60"}
    dead = {"reward": "0x60", "reward_std": "0x60", "zero_std_fraction": "1x60", "functions": functions}
    assert causes(make_run("grpo", learning_rate=rate, **dead))[0] == first


def test_updates_of_which_some_change_the_policy_are_not_a_policy_that_is_not_trained(make_run: MakeRun) -> None:
    assert "not-training" in causes(make_run("grpo", grad_norm="3x9 0x40", reward_std="0.3x49"))
    assert "not-training" not in causes(make_run("grpo", grad_norm="3x9 0x15 4x9 0x12", reward_std="0.3x45"))


def test_where_one_update_is_made_per_batch_the_kl_to_the_reference_shows_its_size(make_run: MakeRun) -> None:
    """PPO measures the size of that update before it is made: 0."""
    scores, kl = "-0.9 -1 -0.8 -0.95 ", "80 79 82 78 "
    carried_away = {"kl_per_sequence": f"0x2 {kl * 10}", "score": f"1.2x2 {scores * 10}", "approx_kl": "1e-13x42"}
    config = {"response_length": 14, "num_ppo_epochs": 1, "num_mini_batches": 1}
    assert causes(make_run("ppo", config=config, **carried_away))[0] == "drastic-updates"
    measured = carried_away | {"approx_kl": "0.002x42"}
    assert "drastic-updates" not in causes(make_run("ppo", config=config, **measured))


@pytest.mark.parametrize(("kl", "first"), [("1e-8 -2e-8x39", []), ("1e-8 0.3x39", ["drastic-updates"])])
def test_a_share_of_clipped_tokens_is_none_of_updates_while_the_policy_stays_where_it_began(
    make_run: MakeRun, kl: str, first: list[str]
) -> None:
    assert causes(make_run("grpo", clip_ratio_region_mean="1x40", kl_per_token=kl))[:1] == first
