"""Tests of causes in the KL to the reference and in how completions are sampled."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from diagnostics.causes import ranked_causes
from diagnostics.causes.catalog import ENTRIES
from diagnostics.causes.hypothesis import hypothesis_of
from diagnostics.model.outcome import Severity
from diagnostics.model.run import Run
from diagnostics.rules import evaluate
from tests.diagnostics.causes.explained import causes, diagnosed

MakeRun = Callable[..., Run]


def test_kl_that_runs_away_alone_has_a_weak_kl_penalty(make_run: MakeRun) -> None:
    run = make_run("ppo", ratio_mean="1x30", approx_kl="0.01x30", kl_per_sequence="1x12 40x18")
    assert causes(run) == ["kl-penalty-too-weak"]


@pytest.mark.parametrize(("size", "is_ruled_out"), [("0.01x12 0.2x18", True), ("0.01x12 0.05x18", False)])
def test_only_updates_that_carry_a_policy_away_by_themselves_rule_out_a_weak_kl_penalty(
    make_run: MakeRun, size: str, *, is_ruled_out: bool
) -> None:
    run = make_run("ppo", approx_kl=size, kl_per_sequence="1x12 40x18")
    fired = {outcome.rule: outcome for outcome in evaluate(run) if outcome.severity}
    assert "update-too-large" in fired
    found = hypothesis_of(ENTRIES["kl-penalty-too-weak"], fired, {}, run)
    assert (found is None) is is_ruled_out


@pytest.mark.parametrize(("beta", "cause"), [(1.0, "kl-penalty-too-strong"), (0.04, "not-training")])
def test_a_policy_that_stands_still_is_held_by_its_penalty_only_where_that_is_heavy(
    make_run: MakeRun, beta: float, cause: str
) -> None:
    levels = {"entropy_per_token": (0.5, 0.01), "reward": (0.4, 0.05), "length_mean": (20, 0.5)}
    noise = np.random.default_rng(1)
    still = {name: level + noise.normal(scale=scale, size=60) for name, (level, scale) in levels.items()}
    assert causes(make_run("grpo", config={"beta": beta}, **still))[:1] == [cause]


def test_a_penalty_that_exceeds_the_gain_is_too_strong(make_run: MakeRun) -> None:
    logged = {
        "score": "2.99 3.01 3 " * 34,
        "score_std": "1x102",
        "non_score_reward": "-0.9x102",
        "kl_per_sequence": "0.4x102",
    }
    (cause,) = diagnosed(make_run("ppo", config={"kl_coef": 2.25}, **logged))
    assert (cause.cause, cause.outcomes) == (
        "kl-penalty-too-strong",
        ("kl-penalty-dominates", "reward-not-improving"),
    )
    assert (cause.fixes[0].parameter, cause.fixes[0].suggested) == ("kl_coef", 0.05)


@pytest.mark.parametrize(
    ("kl", "coefficient", "first"),
    [
        ("0..8x120", 0.05, "no-reward-signal"),  # ever farther: nothing holds it
        ("0..9.4x120", 0.05, "no-reward-signal"),
        ("0..0.45x20 0.45x100", 0.9, "kl-penalty-too-strong"),  # at rest where the penalty lets it go
        ("0..8x120", 1.5, "kl-penalty-too-strong"),  # its noise leads it
    ],
)
def test_a_policy_that_goes_ever_farther_under_a_flat_score_is_not_held_by_a_usual_penalty(
    make_run: MakeRun, kl: str, coefficient: float, first: str
) -> None:
    logged = {"score": "0.28 0.32 0.29 0.31 " * 30, "score_std": "0.3x120", "kl_per_sequence": kl}
    penalty = -coefficient * make_run("ppo", **logged).series["kl_per_sequence"].values
    run = make_run("ppo", non_score_reward=penalty, config={"kl_coef": coefficient}, **logged)
    assert "kl-penalty-dominates" in [outcome.rule for outcome in evaluate(run) if outcome.severity]
    assert causes(run)[0] == first


LEGACY_FAR = {"kl_per_sequence": "0.5x20 1x20 1..60x20 60x20", "score": "0.5..0.7x40 0.7x40", "score_std": "0.3x80"}


@pytest.mark.parametrize(
    ("weight", "cause"), [("0.05x80", "kl-penalty-too-weak"), ("0.05x20 0.05..5x20 5x40", "kl-penalty-too-strong")]
)
def test_a_policy_that_goes_far_under_a_penalty_that_outweighed_the_score_follows_its_noise(
    make_run: MakeRun, weight: str, cause: str
) -> None:
    assert causes(make_run("ppo-legacy", **LEGACY_FAR, kl_coef=weight))[0] == cause


def test_a_weight_that_leaves_no_room_is_no_consequence_of_hard_prompts(make_run: MakeRun) -> None:
    logged = {"kl_per_token": "0.005x60", "reward": "0.1 0.05 0 " * 20, "zero_std_fraction": "0.8x60"}
    assert causes(make_run("grpo", config={"beta": 10.0}, **logged))[0] == "kl-penalty-too-strong"
    assert causes(make_run("grpo", config={"beta": 0.01}, **logged))[0] == "difficulty-mismatch"


@pytest.mark.parametrize("config", [{}, {"top_k": 5, "top_p": 0.5}])
def test_a_kl_before_any_update_is_another_reference_however_answers_are_sampled(
    make_run: MakeRun, config: dict[str, float]
) -> None:
    assert causes(make_run("grpo", kl_per_token="0.15x30", config=config)) == ["reference-is-another-model"]


@pytest.mark.parametrize(("config", "is_decided"), [({}, False), ({"disable_dropout": True}, True)])
def test_dropout_is_ruled_out_as_the_reason_of_a_kl_at_the_start_only_where_it_is_off(
    make_run: MakeRun, config: dict[str, bool], *, is_decided: bool
) -> None:
    (cause,) = diagnosed(make_run("grpo", kl_per_token="0.15x30", config=config))
    assert (cause.cause, cause.is_decided) == ("reference-is-another-model", is_decided)


def test_a_first_point_that_averages_updates_shows_no_other_reference(make_run: MakeRun) -> None:
    run = make_run("grpo", kl_per_token="0.3x30")
    kl = run.series["kl_per_token"]
    late = replace(run, series={kl.name: replace(kl, steps=kl.steps * 10)})
    assert "reference-is-another-model" not in causes(late)


def test_a_policy_that_was_as_far_at_the_first_step_did_not_run_away(make_run: MakeRun) -> None:
    settings = {"num_iterations": 4}  # the first point may hold an update
    assert "kl-penalty-too-weak" not in causes(make_run("grpo", kl_per_token="1.2 1 1.3 1.1 " * 8, config=settings))
    assert "kl-penalty-too-weak" in causes(make_run("grpo", kl_per_token="0.3x5 0.3..1.5x20 1.5x9", config=settings))


@pytest.mark.parametrize(
    ("config", "first", "is_decided"),
    [
        ({"top_k": 2}, "sampling-unlike-policy", True),
        ({"top_k": 50, "top_p": 0.9}, "kl-penalty-too-weak", False),
        ({"top_k": 0, "top_p": 1.0}, "kl-penalty-too-weak", True),
    ],
)
def test_a_distant_policy_whose_samples_are_cut_off_may_be_the_samplings_fault(
    make_run: MakeRun, config: dict[str, float], first: str, *, is_decided: bool
) -> None:
    cause = diagnosed(make_run("grpo", kl_per_token="0x5 0.05..1.2x30 1.2x10", config=config))[0]
    assert (cause.cause, cause.is_decided) == (first, is_decided)


def test_what_healthy_runs_reach_is_too_weak_a_sign_for_a_cause(make_run: MakeRun) -> None:
    run = make_run("grpo", kl_per_token="0x10 0.3x30")
    assert [outcome.rule for outcome in evaluate(run) if outcome.severity] == ["kl-too-high"]
    assert causes(run) == []


def test_samples_that_are_unlikely_under_the_policy_are_not_its_own(make_run: MakeRun) -> None:
    logged = {"entropy_per_sequence": "60x20", "entropy_per_token": "2x20", "length_mean": "10x20"}
    assert causes(make_run("ppo", **logged)) == ["sampling-unlike-policy"]


def test_a_kl_weight_that_jumps_is_too_strong_and_an_adaptive_one_is_not(make_run: MakeRun) -> None:
    assert causes(make_run("ppo", kl_coef="0.05x20 5x30")) == ["kl-penalty-too-strong"]
    assert "kl-penalty-too-strong" not in causes(make_run("ppo", kl_coef="0.05..5x120"))


def test_a_weight_that_a_controller_raised_over_a_small_kl_is_too_strong_and_explains_what_broke(
    make_run: MakeRun,
) -> None:
    raised = {"kl_coef": "0.05..5x120", "kl_per_token": "0 0.05x119"}
    assert causes(make_run("ppo", **raised)) == ["kl-penalty-too-strong"]
    assert causes(make_run("ppo", **raised | {"kl_coef": "0.05..0.9x120"})) == []
    broken = raised | {"value_loss": "1x80 100x40", "entropy_per_token": "0.5x90 3x30"}
    assert causes(make_run("ppo", **broken)) == ["kl-penalty-too-strong"]
    ran_away = make_run("ppo", approx_kl="0.01x120", **raised | {"kl_per_token": "0 0.05x19 3x100"})
    assert causes(ran_away)[0] == "kl-penalty-too-weak"


def test_sampling_unlike_the_policy_explains_where_it_went(make_run: MakeRun) -> None:
    sampled = {"entropy_per_sequence": "60x100", "entropy_per_token": "2x60 5x40", "length_mean": "9 10 12 9 " * 25}
    run = make_run("ppo", kl_per_token="0 0.1x39 3x60", value_loss="1x60 100x40", **sampled)
    assert causes(run) == ["sampling-unlike-policy"]


def test_a_saturated_reward_contradicts_a_strong_kl_penalty(make_run: MakeRun) -> None:
    logged = {"score": "1x100", "score_std": "1x100", "non_score_reward": "-0.9x100", "kl_per_sequence": "2x100"}
    run = make_run("ppo", config={"kl_coef": 0.45}, **logged)
    (tight,) = (outcome for outcome in evaluate(run) if outcome.rule == "kl-penalty-dominates")
    solved = replace(tight, rule="reward-saturated", grade="P", severity=Severity.INFO)
    assert [cause.cause for cause in ranked_causes(run, [tight])] == ["kl-penalty-too-strong"]
    assert [cause.cause for cause in ranked_causes(run, [tight, solved])] == ["task-too-easy"]


@pytest.mark.parametrize(
    ("kl", "config", "held"),
    [
        ("0 0.005x119", {}, True),
        ("0..0.005x120", {}, False),
        ("0 0.05x119", {}, False),
        ("0x120", {}, False),
        ("0 0.005x119", {"beta": 0.25}, True),
        ("0 0.005x119", {"beta": 0.2}, False),  # so light that it lets the policy go six nats away
    ],
)
def test_a_flat_reward_over_a_kl_that_stays_small_is_held_back_by_the_penalty(
    make_run: MakeRun, kl: str, config: dict[str, float], *, held: bool
) -> None:
    noise = np.random.default_rng(1)
    levels = {"reward": (1.98, 0.02), "entropy_per_token": (0.06, 0.006), "length_mean": (20, 0.5)}
    flat = {name: level + noise.normal(scale=scale, size=120) for name, (level, scale) in levels.items()}
    found = causes(make_run("rloo", kl_per_token=kl, reward_std="0.7x120", config=config, **flat))
    assert ("kl-penalty-too-strong" in found) is held


def test_sampling_that_was_never_the_policys_explains_updates_that_are_too_large(make_run: MakeRun) -> None:
    sampled = {"entropy_per_sequence": "60x60", "entropy_per_token": "2x60", "length_mean": "9 10 12 9 " * 15}
    assert causes(make_run("ppo", approx_kl="0.01x20 0.3x40", **sampled)) == ["sampling-unlike-policy"]


def test_answers_that_shrink_under_a_penalty_that_outweighs_the_score_pay_least(make_run: MakeRun) -> None:
    fell = {"score": "0.5 0.4 0.45 0.3 0.35 0.25..0.1x45", "score_std": "0.3x50", "length_mean": "13x10 13..2x20 2x20"}
    far = {"kl_per_sequence": "0 5..9x10 9x39"}
    assert causes(make_run("ppo-legacy", **fell, **far, kl_coef="10x50")) == ["kl-penalty-too-strong"]
    assert "answers-too-short" in causes(make_run("ppo-legacy", **fell, **far, kl_coef="0.01x50"))


@pytest.mark.parametrize(
    ("loss", "first"), [("0.1..0.2x20 0.2..0.1x20", "kl-penalty-too-strong"), ("0x40", "not-training")]
)
def test_a_heavy_weight_that_only_the_loss_shows_holds_the_policy(make_run: MakeRun, loss: str, first: str) -> None:
    still = {"kl_per_token": "0.001..0.002x20 0.002..0.001x20", "entropy_per_token": "1.5 1.51 1.49 1.5 " * 10}
    flat = {"reward": "0.5 0.52 0.48 0.5 " * 10, "reward_std": "0.3x40", "state": "finished"}
    assert causes(make_run("grpo", **still, **flat, loss=loss))[0] == first
