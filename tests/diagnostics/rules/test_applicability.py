"""A rule about something a run lacks counts neither as checked nor as missed; what trainers usually log is judged."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from diagnostics.judge import judge
from diagnostics.model.diagnosis import Diagnosis
from diagnostics.model.outcome import Outcome, Verdict
from diagnostics.model.run import Run
from diagnostics.model.series import Values
from diagnostics.rules import evaluate

MakeRun = Callable[..., Run]
POINTS = 120
SETUP = {"num_generations": 8, "num_iterations": 1, "steps_per_generation": 4, "gradient_accumulation_steps": 4,
         "max_completion_length": 256, "scale_rewards": "group", "per_device_train_batch_size": 8}  # fmt: skip


def noisy(level: float, rise: float = 0.0) -> Values:
    random = np.random.default_rng(round(1000 * level))
    return np.abs((level + np.linspace(0, rise, POINTS)) * np.exp(0.05 * random.normal(size=POINTS)))


def of_trl_grpo(make_run: MakeRun, beta: float, **more: Values) -> Run:
    """What TRL's GRPO trainer logs without samples, with one reward function."""
    return make_run(
        "grpo", config={**SETUP, "beta": beta}, total=POINTS,
        functions={"reward_func_mean/accuracy": noisy(0.3, 0.3), "reward_func_std/accuracy": noisy(0.4)},
        reward=noisy(0.3, 0.3), reward_std=noisy(0.4), zero_std_fraction=noisy(0.2), entropy_per_token=noisy(0.8),
        clip_ratio_region_mean=np.zeros(POINTS), clip_ratio_high_mean=np.zeros(POINTS),
        clip_ratio_low_mean=np.zeros(POINTS), length_mean=noisy(100), truncated_fraction=noisy(0.05),
        grad_norm=noisy(1.0), learning_rate=np.full(POINTS, 1e-6), loss=noisy(0.01), **more,
    )  # fmt: skip


def of_trl_ppo(make_run: MakeRun) -> Run:
    """What TRL's PPO trainer logs: neither gradient norm nor lengths, no deviations, no evaluation."""
    kl = noisy(2.0)
    return make_run(
        "ppo", config={"response_length": 53, "num_ppo_epochs": 4, "num_mini_batches": 1}, total=POINTS,
        score=noisy(0.5, 0.4), kl_per_sequence=kl, non_score_reward=-0.05 * kl,
        rlhf_reward=noisy(0.5, 0.4) - 0.05 * kl, entropy_per_sequence=noisy(40.0), entropy_per_token=noisy(0.9),
        approx_kl=noisy(0.004), clip_fraction=noisy(0.02), policy_loss=noisy(0.01), value_loss=noisy(0.1),
        value_clip_fraction=noisy(0.01), ratio_mean=np.ones(POINTS), ratio_variance=noisy(0.001),
        eos_tokens=noisy(60), learning_rate=np.full(POINTS, 3e-6),
    )  # fmt: skip


def verdict(run: Run) -> str:
    return judge(run, {}).verdict


def skipped_rules(outcomes: tuple[Outcome, ...]) -> dict[str, bool]:
    return {outcome.rule: outcome.applies for outcome in outcomes if outcome.verdict is Verdict.SKIPPED}


@pytest.mark.parametrize("beta", [0.0, 0.04])
def test_a_usual_grpo_run_is_judged_with_and_without_a_kl_penalty(make_run: MakeRun, beta: float) -> None:
    run = of_trl_grpo(make_run, beta, **({"kl_per_token": noisy(0.02)} if beta else {}))
    assert judge(run, {}).vital_missing == ()


def test_a_usual_ppo_run_is_judged(make_run: MakeRun) -> None:
    assert judge(of_trl_ppo(make_run), {}).vital_missing == ()


def test_without_a_penalty_nothing_about_kl_is_missed(make_run: MakeRun) -> None:
    run = of_trl_grpo(make_run, beta=0.0)
    diagnosis = Diagnosis(run, evaluate(run))
    about_kl = {o.rule for o in diagnosis.not_applicable if o.message.template == "missing.kl-off"}
    assert {"kl-too-high", "kl-runaway", "kl-nonzero-at-start"} <= about_kl
    assert not about_kl & {o.rule for o in diagnosis.blind_spots}


def test_a_kl_that_is_not_logged_though_there_may_be_one_is_a_blind_spot(make_run: MakeRun) -> None:
    run = of_trl_grpo(make_run, beta=0.04)
    assert skipped_rules(evaluate(run))["kl-too-high"]


@pytest.mark.parametrize("algorithm", ["ppo", "grpo", "unknown"])
def test_a_run_without_a_metric_is_not_healthy_and_lacks_one_thing_only(make_run: MakeRun, algorithm: str) -> None:
    run = make_run(algorithm)
    run = replace(run, status=replace(run.status, state="failed", error="ValueError: no answer key"))
    diagnosis = Diagnosis(run, evaluate(run))
    assert [outcome.rule for outcome in diagnosis.fired] == ["run-died"]
    reasons = {outcome.message.template for outcome in diagnosis.blind_spots if outcome.code.startswith("RV")}
    assert reasons <= {"missing.any", "unscorable-completions.few"}
