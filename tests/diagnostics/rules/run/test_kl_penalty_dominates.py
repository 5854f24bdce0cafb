"""Tests of kl-penalty-dominates."""

from collections.abc import Callable

import pytest

from diagnostics.model.outcome import Outcome, Severity, Verdict

Judge = Callable[..., Outcome]


SCORES = {"score": "1x30 1..1.5x30 1.5x40", "score_std": "1x100"}


def test_a_penalty_beyond_the_gain_for_twenty_points_is_a_warning(judge: Judge) -> None:
    flat = {"score": "1x100", "score_std": "1x100"}
    outcome = judge("kl-penalty-dominates", "ppo", non_score_reward="0x60 -0.6x20 0x20", **flat)
    assert (outcome.severity, outcome.first_step, outcome.measured) == (Severity.WARNING, 61, -0.6)


def test_where_the_score_has_risen_the_penalty_has_to_be_four_times_as_large(judge: Judge) -> None:
    for penalty, verdict in ((-1.9, Verdict.QUIET), (-2.1, Verdict.FIRED)):
        outcome = judge("kl-penalty-dominates", "ppo", non_score_reward=f"0x60 {penalty}x20 0x20", **SCORES)
        assert outcome.verdict is verdict


def test_nineteen_points_are_not_enough(judge: Judge) -> None:
    outcome = judge("kl-penalty-dominates", "ppo", non_score_reward="0x60 -0.6x19 0x21", **SCORES)
    assert outcome.verdict is Verdict.QUIET


def test_a_penalty_below_half_the_spread_of_the_score_is_quiet(judge: Judge) -> None:
    flat = {"score": "1x100", "score_std": "1x100"}
    assert judge("kl-penalty-dominates", "ppo", non_score_reward="-0.49x100", **flat).verdict is Verdict.QUIET
    assert judge("kl-penalty-dominates", "ppo", non_score_reward="-0.5x100", **flat).verdict is Verdict.FIRED


def test_a_penalty_that_the_gain_outweighs_is_quiet(judge: Judge) -> None:
    risen = {"score": "1x30 1..4x30 4x40", "score_std": "1x100"}
    assert judge("kl-penalty-dominates", "ppo", non_score_reward="0..-2x100", **risen).verdict is Verdict.QUIET


def test_being_paid_for_a_negative_kl_is_no_penalty(judge: Judge) -> None:
    assert judge("kl-penalty-dominates", "ppo", non_score_reward="0.9x100", **SCORES).verdict is Verdict.QUIET


def test_a_short_run_says_how_many_points_it_needs(judge: Judge) -> None:
    outcome = judge("kl-penalty-dominates", "ppo", non_score_reward="-1x69", score="1x69")
    assert (outcome.verdict, outcome.message.values["needed"]) == (Verdict.SKIPPED, 70)


def test_it_is_skipped_where_its_input_is_missing(judge: Judge) -> None:
    assert judge("kl-penalty-dominates", "ppo", score="1x100").verdict is Verdict.SKIPPED


def test_a_penalty_of_twice_the_scores_deviation_needs_no_warm_up(judge: Judge) -> None:
    short = {"score": "1x30", "score_std": "1x30"}
    outcome = judge("kl-penalty-dominates", "ppo", non_score_reward="0x10 -2x10 0x10", **short)
    assert (outcome.severity, outcome.measured, outcome.limit) == (Severity.WARNING, -2.0, -2.0)
    for penalty in ("0x10 -2x9 0x11", "0x10 -1.99x20"):
        assert judge("kl-penalty-dominates", "ppo", non_score_reward=penalty, **short).verdict is not Verdict.FIRED


def test_a_short_run_is_judged_by_a_logged_deviation_and_not_by_the_noise_of_a_few_batches(judge: Judge) -> None:
    short = {"score": "1x30", "non_score_reward": "-2x30"}
    assert judge("kl-penalty-dominates", "ppo", **short).verdict is Verdict.SKIPPED
    logged = {"reward_func_std/accuracy": "0.4x30"}
    assert judge("kl-penalty-dominates", "ppo", functions=logged, **short).verdict is Verdict.FIRED
    several = {**logged, "reward_func_std/form": "0.4x30"}
    assert judge("kl-penalty-dominates", "ppo", functions=several, **short).verdict is Verdict.SKIPPED


@pytest.mark.parametrize(("beta", "verdict"), [(0.99, Verdict.QUIET), (1.0, Verdict.FIRED), (2.24, Verdict.FIRED)])
def test_a_beta_that_outweighs_the_advantages_is_a_warning_in_grpo(judge: Judge, beta: float, verdict: Verdict) -> None:
    logged = {"kl_per_token": "0.002x20", "reward": "0.5x20"}
    outcome = judge("kl-penalty-dominates", "grpo", config={"beta": beta}, **logged)
    assert outcome.verdict is verdict


def test_what_a_beta_leaves_room_for_is_told_where_the_kl_stays_within_it(judge: Judge) -> None:
    config, reward = {"beta": 10.0}, "0.5x30"
    within = judge("kl-penalty-dominates", "grpo", kl_per_token="0.002x30", reward=reward, config=config)
    beyond = judge("kl-penalty-dominates", "grpo", kl_per_token="0.006x30", reward=reward, config=config)
    assert (within.message.template, within.limit) == ("kl-penalty-dominates.bound", pytest.approx(0.005))
    assert (beyond.message.template, beyond.limit) == ("kl-penalty-dominates.heavy", None)


def test_a_sparse_reward_of_which_the_first_answers_earn_nothing_has_no_spread_to_weigh_against(judge: Judge) -> None:
    config, sparse = {"beta": 0.04, "scale_rewards": "none"}, {"reward": "0x24 0.1 0x5", "reward_std": "0x24 0.3 0x5"}
    assert judge("kl-penalty-dominates", "grpo", kl_per_token="0.05x30", config=config, **sparse).verdict is (
        Verdict.QUIET
    )


def test_a_loss_that_follows_the_kl_shows_a_weight_that_is_not_stated(judge: Judge) -> None:
    kl = "0.01..0.03x10 0.03..0.01x10"
    for loss, verdict in (("0.05..0.15x10 0.15..0.05x10", Verdict.FIRED), ("0.15..0.05x20", Verdict.SKIPPED)):
        assert judge("kl-penalty-dominates", "grpo", kl_per_token=kl, loss=loss, reward="0.5x20").verdict is verdict
    light = {"loss": "0.0004..0.0012x10 0.0012..0.0004x10", "reward": "0.5x20"}
    assert judge("kl-penalty-dominates", "grpo", kl_per_token=kl, **light).verdict is Verdict.QUIET


def test_a_weight_that_neither_settings_nor_losses_show_is_why_grpo_is_not_judged(judge: Judge) -> None:
    outcome = judge("kl-penalty-dominates", "grpo", kl_per_token="0.002x30", reward="0.5x30")
    assert (outcome.verdict, outcome.message.template) == (Verdict.SKIPPED, "kl-penalty-dominates.unstated")


def test_a_reward_that_rises_or_is_at_full_marks_under_a_strong_penalty_is_quiet(judge: Judge) -> None:
    for reward in ("0.1..0.9x30", "0.99x30"):
        outcome = judge("kl-penalty-dominates", "grpo", kl_per_token="0.006x30", reward=reward, config={"beta": 10.0})
        assert outcome.verdict is Verdict.QUIET


def test_advantages_that_are_not_scaled_push_as_hard_as_rewards_differ(judge: Judge) -> None:
    logged = {"kl_per_token": "0.002x20", "reward": "0.5x20", "reward_std": "11x20"}
    for scaling, verdict in (("none", Verdict.QUIET), ("group", Verdict.FIRED)):
        config = {"beta": 10.0, "scale_rewards": scaling}
        assert judge("kl-penalty-dominates", "grpo", config=config, **logged).verdict is verdict


def test_in_grpo_nineteen_points_are_too_few_and_a_kl_must_be_logged(judge: Judge) -> None:
    config = {"beta": 10.0}
    short = judge("kl-penalty-dominates", "grpo", kl_per_token="0.002x19", reward="0.5x19", config=config)
    assert (short.verdict, short.message.values["needed"]) == (Verdict.SKIPPED, 20)
    assert judge("kl-penalty-dominates", "grpo", reward="0.5x30", config=config).verdict is Verdict.SKIPPED


BACK = {"kl_per_token": "0..0.02x15 0.02..0.002x10 0.002x14", "config": {"beta": 0.04}}


def test_a_policy_that_is_led_back_to_the_reference_for_no_reward_is_a_warning(judge: Judge) -> None:
    outcome = judge("kl-penalty-dominates", "grpo", reward="0.5..0.7x15 0.7..0.5x24", **BACK)
    assert (outcome.severity, outcome.message.template) == (Severity.WARNING, "kl-penalty-dominates.back")


def test_a_way_back_that_pays_or_is_short_or_has_another_reason_is_none(judge: Judge) -> None:
    fell = "0.5..0.7x15 0.7..0.5x24"
    paid = judge("kl-penalty-dominates", "grpo", reward="0.5..0.9x39", **BACK)
    half = judge("kl-penalty-dominates", "grpo", reward=fell, config=BACK["config"], kl_per_token="0.02x15 0.0051x24")
    brief = judge("kl-penalty-dominates", "grpo", reward=fell, config=BACK["config"], kl_per_token="0.02x28 0.002x11")
    renewed = judge(
        "kl-penalty-dominates", "grpo", **{**BACK, "config": {"beta": 0.04, "sync_ref_model": True}}, reward=fell
    )
    kept = judge("kl-penalty-dominates", "grpo", reward="0.1..0.9x15 0.8x24", **BACK)
    anew = judge(
        "kl-penalty-dominates", "grpo", reward=fell, config=BACK["config"], kl_per_token="0.02x15 0.002x21 0.5x3"
    )
    found = {paid.verdict, half.verdict, brief.verdict, renewed.verdict, kept.verdict, anew.verdict}
    assert found == {Verdict.QUIET}


def test_a_solved_task_and_a_policy_that_never_left_are_not_led_back(judge: Judge) -> None:
    solved = judge("kl-penalty-dominates", "grpo", reward="0.5..1x15 0.97x24", **BACK)
    near = "0..0.0009x15 0.0009..0.0001x10 0.0001x14"
    stayed = judge(
        "kl-penalty-dominates", "grpo", reward="0.5..0.7x15 0.7..0.5x24", kl_per_token=near, config=BACK["config"]
    )
    assert {solved.verdict, stayed.verdict} == {Verdict.QUIET}


def test_a_penalty_of_ten_times_any_score_is_a_warning_from_the_first_steps_on(judge: Judge) -> None:
    outcome = judge("kl-penalty-dominates", "ppo", non_score_reward="0 -5x5 -1x5", score="0.3 0.5x10")
    assert (outcome.severity, outcome.message.template) == (Severity.WARNING, "kl-penalty-dominates.outweighed")
    assert (outcome.first_step, outcome.last_step, outcome.measured, outcome.limit) == (2, 6, -5.0, -5.0)
    for penalty in ("0 -5x4 -1x6", "0 -4.9x5 -1x5", "0 5x5 1x5"):
        found = judge("kl-penalty-dominates", "ppo", non_score_reward=penalty, score="0.3 0.5x10")
        assert found.verdict is not Verdict.FIRED


def test_a_score_that_is_large_below_zero_is_not_outweighed(judge: Judge) -> None:
    assert judge("kl-penalty-dominates", "ppo", non_score_reward="-5x11", score="-8 0x10").verdict is not Verdict.FIRED


def test_rloo_pays_the_stated_weight_for_the_kl_of_a_whole_answer(judge: Judge) -> None:
    """A weight of 10 times 0.02 nats per token times 5 tokens is a penalty of 1 for each answer."""
    logged = {"length_mean": "5x80", "kl_per_token": "0.02x80", "reward_std": "0.2x80"}
    flat = {"reward": "0.3 0.2 0.25 0.28 0.22 " * 16}
    outcome = judge("kl-penalty-dominates", "rloo", **logged, **flat, config={"beta": 10.0})
    assert (outcome.severity, outcome.message.template) == (Severity.WARNING, "kl-penalty-dominates.by_kl")
    assert (outcome.measured, outcome.metric) == (0.02, "kl_per_token")
    assert outcome.message.values["cost"] == pytest.approx(1.0)
    assert judge("kl-penalty-dominates", "rloo", **logged, **flat, config={"beta": 0.05}).verdict is Verdict.QUIET
    assert judge("kl-penalty-dominates", "rloo", **logged, **flat).verdict is Verdict.SKIPPED


def test_rloo_says_by_how_much_its_penalty_outweighs_any_reward(judge: Judge) -> None:
    logged = {"length_mean": "5x11", "kl_per_token": "0 0.2x10", "reward": "0.3 0.5x10"}
    outcome = judge("kl-penalty-dominates", "rloo", **logged, config={"beta": 10.0})
    assert outcome.message.template == "kl-penalty-dominates.outweighed_by_kl"
    assert (outcome.measured, outcome.limit, outcome.unit) == (0.2, pytest.approx(0.1), "nats/token")


def test_the_old_ppo_trainer_pays_its_coefficient_for_the_kl_of_a_sequence(judge: Judge) -> None:
    logged = {"kl_per_sequence": "0.3x40", "score": "1.8 1.7 1.9 1.85 1.75 " * 8, "score_std": "0.65x40"}
    outcome = judge("kl-penalty-dominates", "ppo-legacy", **logged, kl_coef="10..8x40")
    assert (outcome.severity, outcome.message.template) == (Severity.WARNING, "kl-penalty-dominates.by_kl")
    assert (outcome.measured, outcome.unit) == (0.3, "nats/sequence")
    assert judge("kl-penalty-dominates", "ppo-legacy", **logged, kl_coef="0.2x40").verdict is not Verdict.FIRED


def test_a_weight_of_ten_deviations_leaves_nothing_to_gain(judge: Judge) -> None:
    logged = {"reward": "0.1 0.2 0.15 " * 20, "reward_std": "0.3x60", "kl_per_token": "0.001x60", "length_mean": "9x60"}
    outcome = judge("kl-penalty-dominates", "rloo", **logged, config={"beta": 3.0})
    assert (outcome.severity, outcome.message.template) == (Severity.WARNING, "kl-penalty-dominates.allows")
    assert outcome.message.values["gain"] == pytest.approx(0.03)
    assert judge("kl-penalty-dominates", "rloo", **logged, config={"beta": 2.9}).verdict is not Verdict.FIRED
    rising = {**logged, "reward": "0..0.9x60"}
    assert judge("kl-penalty-dominates", "rloo", **rising, config={"beta": 3.0}).verdict is not Verdict.FIRED


def test_a_weight_that_leaves_nothing_to_gain_is_told_where_batches_show_how_scores_differ(judge: Judge) -> None:
    logged = {"score": "1.5 1.6 1.45 1.55 " * 12, "kl_per_sequence": "0 0.1x47", "episodes": "32..1536x48"}
    outcome = judge("kl-penalty-dominates", "ppo", **logged, non_score_reward="0 -1x47", kl_coef="10x48")
    assert (outcome.severity, outcome.message.template) == (Severity.WARNING, "kl-penalty-dominates.allows")
    assert outcome.message.values["beta"] == pytest.approx(10)
    unknown = {name: values for name, values in logged.items() if name != "episodes"}
    outcome = judge("kl-penalty-dominates", "ppo", **unknown, non_score_reward="0 -1x47", kl_coef="10x48")
    assert outcome.verdict is Verdict.SKIPPED


def test_a_reward_that_began_within_a_tenth_of_its_maximum_has_hardly_any_to_gain(judge: Judge) -> None:
    unscaled = {"config": {"beta": 0.04, "scale_rewards": "none"}, "kl_per_token": "0.4x60", "reward_std": "0.03x60"}
    for start, verdict in ((0.96, Verdict.QUIET), (0.8, Verdict.FIRED)):
        reward = f"{start}x20 0.9x20 0.75x20"
        assert judge("kl-penalty-dominates", "grpo", reward=reward, **unscaled).verdict is verdict
