"""Tests of causes in the KL to the reference and in how completions are sampled."""

from collections.abc import Callable
from dataclasses import replace

from diagnostics.causes import ranked_causes
from diagnostics.model.outcome import Severity
from diagnostics.model.run import Run
from diagnostics.rules import evaluate
from tests.diagnostics.causes.explained import causes, diagnosed

MakeRun = Callable[..., Run]


def test_kl_that_runs_away_alone_has_a_weak_kl_penalty(make_run: MakeRun) -> None:
    run = make_run("ppo", ratio_mean="1x30", approx_kl="0.01x30", kl_per_sequence="1x12 40x18")
    assert causes(run) == ["kl-penalty-too-weak"]


def test_a_penalty_that_exceeds_the_gain_is_too_strong(make_run: MakeRun) -> None:
    logged = {"score": "3x100", "score_std": "1x100", "non_score_reward": "-0.9x100", "kl_per_sequence": "2x100"}
    (cause,) = diagnosed(make_run("ppo", config={"kl_coef": 0.45}, **logged))
    assert (cause.cause, cause.outcomes) == ("kl-penalty-too-strong", ("kl-penalty-dominates",))
    assert (cause.fixes[0].parameter, cause.fixes[0].suggested) == ("kl_coef", 0.15)


def test_a_kl_that_is_not_zero_at_the_start_is_another_distribution(make_run: MakeRun) -> None:
    assert causes(make_run("grpo", kl_per_token="0.15x30")) == ["sampling-unlike-policy"]


def test_samples_that_are_unlikely_under_the_policy_are_not_its_own(make_run: MakeRun) -> None:
    logged = {"entropy_per_sequence": "60x20", "entropy_per_token": "2x20", "length_mean": "10x20"}
    assert causes(make_run("ppo", **logged)) == ["sampling-unlike-policy"]


def test_a_kl_weight_that_jumps_is_too_strong_and_an_adaptive_one_is_not(make_run: MakeRun) -> None:
    assert causes(make_run("ppo", kl_coef="0.05x20 5x30")) == ["kl-penalty-too-strong"]
    assert "kl-penalty-too-strong" not in causes(make_run("ppo", kl_coef="0.05..5x120"))


def test_a_saturated_reward_contradicts_a_strong_kl_penalty(make_run: MakeRun) -> None:
    logged = {"score": "1x100", "score_std": "1x100", "non_score_reward": "-0.9x100", "kl_per_sequence": "2x100"}
    run = make_run("ppo", config={"kl_coef": 0.45}, **logged)
    (tight,) = (outcome for outcome in evaluate(run) if outcome.rule == "kl-penalty-dominates")
    solved = replace(tight, rule="reward-saturated", grade="P", severity=Severity.INFO)
    assert [cause.cause for cause in ranked_causes(run, [tight])] == ["kl-penalty-too-strong"]
    assert [cause.cause for cause in ranked_causes(run, [tight, solved])] == ["task-too-easy"]
