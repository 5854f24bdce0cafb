"""Tests of causes in the KL to the reference, in how answers are sampled, and in value model and engine."""

from collections.abc import Callable
from dataclasses import replace

from diagnostics.causes import explain
from diagnostics.model.cause import Cause
from diagnostics.model.outcome import Severity
from diagnostics.model.run import Run
from diagnostics.rules import evaluate

MakeRun = Callable[..., Run]


def causes(run: Run) -> list[str]:
    return [cause.cause for cause in diagnosed(run)]


def diagnosed(run: Run) -> tuple[Cause, ...]:
    return explain(run, evaluate(run))


def test_kl_that_runs_away_alone_has_a_weak_kl_penalty(make_run: MakeRun) -> None:
    run = make_run("ppo", ratio_mean="1x30", approx_kl="0.01x30", kl_per_sequence="1x12 40x18")
    assert causes(run) == ["kl-penalty-too-weak"]


def test_a_value_loss_that_jumps_alone_is_the_critics(make_run: MakeRun) -> None:
    assert causes(make_run("ppo", value_loss="1x25 9x9")) == ["critic-broken"]


def test_a_penalty_beyond_the_gain_wants_a_weaker_one(make_run: MakeRun) -> None:
    logged = {"score": "3x100", "score_std": "1x100", "non_score_reward": "-0.9x100", "kl_per_sequence": "2x100"}
    (cause,) = diagnosed(make_run("ppo", config={"kl_coef": 0.45}, **logged))
    assert (cause.cause, cause.outcomes) == ("kl-penalty-too-strong", ("kl-penalty-dominates",))
    assert (cause.fixes[0].parameter, cause.fixes[0].suggested) == ("kl_coef", 0.15)


def test_a_kl_that_is_not_zero_at_the_start_is_another_distribution(make_run: MakeRun) -> None:
    assert causes(make_run("grpo", kl_per_token="0.15x30")) == ["sampling-unlike-policy"]


def test_engines_that_drift_apart_come_before_the_noise_that_they_make(make_run: MakeRun) -> None:
    run = make_run("grpo", engine_logprob_difference="0.01x25 0.09x35", entropy_per_token="1x40 3x20")
    (cause,) = diagnosed(run)
    assert cause.cause == "engine-mismatch"


def test_samples_that_surprise_the_policy_are_not_its_own(make_run: MakeRun) -> None:
    logged = {"entropy_per_sequence": "60x20", "entropy_per_token": "2x20", "length_mean": "10x20"}
    assert causes(make_run("ppo", **logged)) == ["sampling-unlike-policy"]


def test_a_weight_raised_at_once_is_a_strong_penalty_and_a_controller_is_none(make_run: MakeRun) -> None:
    assert causes(make_run("ppo", kl_coef="0.05x20 5x30")) == ["kl-penalty-too-strong"]
    assert "kl-penalty-too-strong" not in causes(make_run("ppo", kl_coef="0.05..5x120"))


def test_a_new_reward_surprises_any_critic(make_run: MakeRun) -> None:
    assert causes(make_run("ppo", value_loss="1x25 9x9", score="1x25 3x9")) == []


def test_no_penalty_keeps_a_policy_from_a_reward_that_it_has(make_run: MakeRun) -> None:
    logged = {"score": "1x100", "score_std": "1x100", "non_score_reward": "-0.9x100", "kl_per_sequence": "2x100"}
    run = make_run("ppo", config={"kl_coef": 0.45}, **logged)
    (tight,) = (outcome for outcome in evaluate(run) if outcome.rule == "kl-penalty-dominates")
    solved = replace(tight, rule="reward-saturated", grade="P", severity=Severity.INFO)
    assert [cause.cause for cause in explain(run, [tight])] == ["kl-penalty-too-strong"]
    assert [cause.cause for cause in explain(run, [tight, solved])] == ["task-too-easy"]
