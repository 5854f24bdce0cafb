"""Tests of causes in the rollout engine: each of six names itself, and not its rivals."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from diagnostics.model.cause import Cause
from diagnostics.model.run import Run
from tests.diagnostics.causes.explained import causes, diagnosed

MakeRun = Callable[..., Run]
STEPS = 60
VLLM = {"use_vllm": True, "vllm_importance_sampling_mode": "sequence_mask", "top_p": 1.0, "beta": 0.02}
FLAT = {
    "reward": 0.5 + np.random.default_rng(7).normal(scale=0.02, size=STEPS),
    "grad_norm": "1x60",
    "learning_rate": "1e-4x60",
    "length_mean": "10x60",
}
MOVED = np.linspace(0.0, 0.4, STEPS)  # the mean difference from the first policy, growing with every update


def kl_of(difference: np.ndarray) -> np.ndarray:
    """The KL of differences that are normal, of this mean size."""
    return np.pi / 4 * difference**2


def unsynced(make_run: MakeRun, **more: Any) -> Run:
    """An engine that keeps its first weights, at a learning rate at which the distance grows slowly."""
    logged = {"engine_logprob_difference": 0.005 + MOVED, "kl_per_token": kl_of(MOVED)}
    return make_run("grpo", config=VLLM, **{**FLAT, **logged, **more})


def first(run: Run) -> Cause:
    return diagnosed(run)[0]


def test_weights_that_are_never_sent_are_named_by_a_jump(make_run: MakeRun) -> None:
    run = make_run("grpo", config=VLLM, **FLAT, engine_logprob_difference="0.012x2 0.2x58")
    assert causes(run) == ["weights-not-synced"]


@pytest.mark.parametrize("state", ["running", "finished"])
def test_weights_that_are_never_sent_are_named_by_the_distance_to_the_reference(make_run: MakeRun, state: str) -> None:
    cause = first(unsynced(make_run, state=state))
    assert (cause.cause, cause.signs) == ("weights-not-synced", ("logp-diff-growing",))
    assert [rival.cause for rival in cause.rivals if rival.is_open] == []


def test_samples_that_improve_come_from_weights_that_arrive(make_run: MakeRun) -> None:
    rising = np.linspace(0.2, 0.8, STEPS) + np.random.default_rng(1).normal(scale=0.02, size=STEPS)
    assert causes(unsynced(make_run, reward=rising)) == ["engine-mismatch"]


def test_a_distance_that_grows_without_any_kl_to_compare_it_with_is_not_decided(make_run: MakeRun) -> None:
    run = make_run("grpo", config=VLLM, **FLAT, engine_logprob_difference=0.005 + MOVED)
    cause = first(run)
    assert cause.cause == "engine-mismatch"
    assert [rival.cause for rival in cause.rivals if rival.is_open] == ["weights-not-synced"]
    assert cause.summary.template == "cause.undecided.2"


def test_precision_keeps_its_distance_while_the_policy_moves_on(make_run: MakeRun) -> None:
    run = unsynced(make_run, engine_logprob_difference="0.15x60")
    assert causes(run) == ["engine-mismatch"]


def test_engines_that_drift_apart_explain_the_noise_that_follows(make_run: MakeRun) -> None:
    run = make_run("grpo", engine_logprob_difference="0.01x25 0.09x35", entropy_per_token="1x40 3x20")
    (cause,) = diagnosed(run)
    assert cause.cause == "engine-mismatch"


def test_samples_of_a_fixed_age_are_stale(make_run: MakeRun) -> None:
    run = unsynced(make_run, engine_logprob_difference="0.005x2 0.2x58", staleness_mean="0x2 8x58")
    assert causes(run) == ["samples-stale"]


def test_an_age_that_grows_with_every_step_is_that_of_weights_that_never_come(make_run: MakeRun) -> None:
    age = np.arange(STEPS, dtype=float)
    run = unsynced(make_run, engine_logprob_difference="0.005x2 0.2x58", staleness_mean=age)
    assert first(run).cause == "weights-not-synced"


@pytest.mark.parametrize("dropped", ["0.3x60"])
def test_samples_that_are_thrown_away_are_stale(make_run: MakeRun, dropped: str) -> None:
    assert causes(make_run("grpo", **FLAT, dropped_fraction=dropped)) == ["samples-stale"]


def test_a_cut_off_is_told_by_the_settings(make_run: MakeRun) -> None:
    run = make_run("grpo", config={**VLLM, "top_p": 0.8}, **FLAT, engine_logprob_difference="0.15x60")
    assert causes(run) == ["sampling-unlike-policy"]


@pytest.mark.parametrize(("ratio", "cause"), [("0.35x60", "sampling-unlike-policy"), ("0.93x60", "engine-mismatch")])
def test_a_cut_off_is_told_by_a_ratio_that_noise_does_not_explain(make_run: MakeRun, ratio: str, cause: str) -> None:
    """Of ten tokens that differ by 0.15 either way, the mean ratio below 3 is 0.93."""
    config = {name: value for name, value in VLLM.items() if name != "top_p"}
    logged = {"engine_logprob_difference": "0.15x60", "importance_ratio_mean": ratio}
    assert first(make_run("grpo", config=config, **FLAT, **logged)).cause == cause


def test_a_cut_off_is_told_by_a_signed_kl(make_run: MakeRun) -> None:
    logged = {"engine_logprob_difference": "0.15x60", "engine_kl_k1": "0.14x60"}
    assert causes(make_run("grpo", **FLAT, **logged)) == ["sampling-unlike-policy"]
    logged = {"engine_logprob_difference": "0.15x60", "engine_kl_k1": "0.01x60"}
    assert causes(make_run("grpo", **FLAT, **logged)) == ["engine-mismatch"]


def test_a_cut_off_that_begins_midway_is_no_engine_left_behind(make_run: MakeRun) -> None:
    logged = {"engine_logprob_difference": "0x15 0.17x45", "importance_ratio_mean": "1x15 0.34x45"}
    assert first(make_run("grpo", config=VLLM, **FLAT, **logged)).cause == "sampling-unlike-policy"


def test_a_mixture_of_experts_is_routed_apart(make_run: MakeRun) -> None:
    run = make_run("grpo", config=VLLM, **FLAT, engine_logprob_difference="0.15x60", moe_load_imbalance="0.2x60")
    assert causes(run) == ["experts-routed-apart"]
    assert first(run).fixes[0].why.template == "remedy.routing-replay"


def test_a_mixture_of_experts_whose_weights_are_not_sent_is_not_misrouted(make_run: MakeRun) -> None:
    run = make_run("grpo", config=VLLM, **FLAT, engine_logprob_difference="0.012x2 0.2x58", router_aux_loss="1x60")
    assert causes(run) == ["weights-not-synced"]


def test_histories_that_fork_are_tokenised_again(make_run: MakeRun) -> None:
    run = make_run("grpo", **FLAT, history_fork_fraction="0.5x60", engine_logprob_difference="0.15x60")
    assert first(run).cause == "text-tokenised-again"


@pytest.mark.parametrize(("farthest", "cause"), [("5x60", "text-tokenised-again"), ("4.9x60", "engine-mismatch")])
def test_few_tokens_that_are_worlds_apart_are_other_tokens(make_run: MakeRun, farthest: str, cause: str) -> None:
    logged = {"engine_logprob_difference": "0.15x60", "engine_logprob_difference_max": farthest}
    assert causes(make_run("grpo", config=VLLM, **FLAT, **logged)) == [cause]


@pytest.mark.parametrize(("mean", "cause"), [("0.5x60", "text-tokenised-again"), ("0.61x60", "engine-mismatch")])
def test_where_all_tokens_are_apart_the_farthest_says_nothing(make_run: MakeRun, mean: str, cause: str) -> None:
    logged = {"engine_logprob_difference": mean, "engine_logprob_difference_max": "9x60"}
    assert causes(make_run("grpo", config=VLLM, **FLAT, **logged)) == [cause]


def test_text_that_is_tokenised_again_midway_is_no_engine_left_behind(make_run: MakeRun) -> None:
    logged = {"engine_logprob_difference": "1e-6x15 0.25x45", "engine_logprob_difference_max": "5e-6x15 9x45"}
    assert causes(make_run("grpo", config=VLLM, **FLAT, **logged)) == ["text-tokenised-again"]
    unsent = {**logged, "engine_logprob_difference_max": "5e-6x15 1.5x45"}
    assert first(make_run("grpo", config=VLLM, **FLAT, **unsent)).cause == "weights-not-synced"


def test_old_samples_are_not_the_cause_where_tokens_are_others(make_run: MakeRun) -> None:
    logged = {"engine_logprob_difference": "0.25x60", "staleness_mean": "1x60"}
    assert causes(make_run("grpo", config=VLLM, **FLAT, **logged)) == ["samples-stale"]
    retokenised = {**logged, "engine_logprob_difference_max": "9x60"}
    assert causes(make_run("grpo", config=VLLM, **FLAT, **retokenised)) == ["text-tokenised-again"]


def test_a_log_that_counts_other_tokens_needs_no_farthest_one(make_run: MakeRun) -> None:
    logged = {"engine_logprob_difference": "0.15x60", "retokenisation_drift": "3x60"}
    assert causes(make_run("grpo", config=VLLM, **FLAT, **logged)) == ["text-tokenised-again"]
    same = {**logged, "retokenisation_drift": "0x60"}
    assert causes(make_run("grpo", config=VLLM, **FLAT, **same)) == ["engine-mismatch"]


def test_a_mixture_of_experts_may_be_as_far_apart_in_few_tokens(make_run: MakeRun) -> None:
    logged = {"engine_logprob_difference": "0.15x60", "engine_logprob_difference_max": "9x60"}
    assert causes(make_run("grpo", config=VLLM, **FLAT, moe_load_imbalance="0.2x60", **logged)) == [
        "experts-routed-apart"
    ]


def test_precision_names_other_tokens_as_a_rival_and_says_what_decides(make_run: MakeRun) -> None:
    cause = first(make_run("grpo", config=VLLM, **FLAT, engine_logprob_difference="0.15x60"))
    assert "text-tokenised-again" in [rival.cause for rival in cause.rivals]
    assert not any(rival.is_open for rival in cause.rivals if rival.cause == "text-tokenised-again")


def test_a_run_that_jumps_where_it_was_resumed_was_resumed_otherwise(make_run: MakeRun) -> None:
    logged = {"entropy_per_token": "1x30 2x30", "grad_norm": "1x30 3x30"}
    run = replace(make_run("grpo", reward="0.5x60", **logged), resumed_after=(30,))
    assert "resumed-otherwise" in causes(run)


@pytest.mark.parametrize(
    ("config", "argument", "suggested"),
    [
        ({"vllm_enable_sleep_mode": True, "vllm_mode": "colocate"}, "vllm_enable_sleep_mode", False),
        ({"vllm_enable_sleep_mode": False, "vllm_mode": "server"}, "vllm_server_host", None),
        ({"vllm_mode": "colocate"}, "", None),
    ],
)
def test_the_fix_of_unsent_weights_is_about_sending_them(make_run: MakeRun, config, argument, suggested) -> None:
    run = make_run("grpo", config={**VLLM, **config}, **FLAT, engine_logprob_difference="0.012x2 0.2x58")
    fixes = first(run).fixes
    assert (fixes[0].parameter, fixes[0].suggested) == (argument, suggested)
    assert {"top_k", "top_p", "learning_rate"} & {fix.parameter for fix in fixes} == set()


def test_an_adapter_may_not_have_been_sent_with_the_weights(make_run: MakeRun) -> None:
    run = make_run("grpo", config={**VLLM, "use_peft": True}, **FLAT, engine_logprob_difference="0.012x2 0.2x58")
    assert "remedy.merged-adapter" in [fix.why.template for fix in first(run).fixes]


def test_a_kl_of_the_engine_that_is_estimated_below_zero_is_no_failure(make_run: MakeRun) -> None:
    """An estimate may have either sign: it says nothing of a proportion then."""
    logged = {"engine_kl": "0.05 -0.01x20 0.05..0.3x20 0.3x20", "kl_per_token": "0.001x21 0.001..0.4x40"}
    assert "weights-not-synced" not in causes(make_run("grpo", **logged))
