"""Tests of reward-not-improving."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from diagnostics.model.outcome import Outcome, Severity, Verdict
from diagnostics.model.run import Run
from diagnostics.model.series import Values
from diagnostics.rules import engine
from diagnostics.rules.run.reward_not_improving import RewardNotImproving

Judge = Callable[..., Outcome]


def noisy_series(level: Values, scale: float = 0.05) -> Values:
    return level + np.random.default_rng(1).normal(scale=scale, size=len(level))


def test_a_hundred_flat_points_are_a_warning(judge: Judge) -> None:
    outcome = judge("reward-not-improving", "ppo", rlhf_reward=noisy_series(np.full(100, 0.5)))
    assert (
        outcome.severity,
        outcome.metric,
        outcome.first_step,
        outcome.last_step,
    ) == (Severity.WARNING, "rlhf_reward", 1, 100)


def test_ninety_nine_are_too_few(judge: Judge) -> None:
    outcome = judge("reward-not-improving", "ppo", rlhf_reward=noisy_series(np.full(99, 0.5)))
    assert (outcome.verdict, outcome.message.values) == (Verdict.SKIPPED, {"needed": 100, "found": 99})


def test_a_rise_that_is_proven_needs_no_hundred_points(judge: Judge) -> None:
    assert judge("reward-not-improving", "grpo", reward="0.1..0.8x30").verdict is Verdict.QUIET
    assert judge("reward-not-improving", "grpo", reward="0.1..0.8x29").verdict is Verdict.SKIPPED
    assert judge("reward-not-improving", "grpo", reward="0.8..0.1x30").verdict is Verdict.SKIPPED


def test_a_run_planned_shorter_is_judged_at_its_end(judge: Judge) -> None:
    assert (
        judge("reward-not-improving", "grpo", reward=noisy_series(np.full(50, 0.5)), total=50).severity is Severity.INFO
    )
    assert (
        judge("reward-not-improving", "grpo", reward=noisy_series(np.full(49, 0.5)), total=50).verdict
        is Verdict.SKIPPED
    )


@pytest.mark.parametrize("total", [None, 50])
def test_a_run_that_has_finished_is_judged_alike_whether_or_not_its_plan_is_known(
    judge: Judge, total: int | None
) -> None:
    falling = noisy_series(np.linspace(5, 4.9, 50), scale=0.5)
    outcome = judge("reward-not-improving", "grpo", reward=falling, total=total, state="finished")
    assert outcome.severity is Severity.INFO


def test_a_run_that_goes_on_without_a_plan_waits_for_a_hundred_points(judge: Judge) -> None:
    flat = noisy_series(np.full(50, 0.5))
    outcome = judge("reward-not-improving", "grpo", reward=flat, state="running")
    assert outcome.message.values == {"needed": 100, "found": 50}


def test_a_slow_rise_is_quiet(judge: Judge) -> None:
    assert (
        judge("reward-not-improving", "ppo", rlhf_reward=noisy_series(np.linspace(0, 0.3, 100))).verdict
        is Verdict.QUIET
    )


def test_a_plateau_above_the_start_is_quiet(judge: Judge) -> None:
    level = np.concatenate([np.linspace(0, 0.6, 100), np.full(150, 0.6)])
    assert judge("reward-not-improving", "ppo", rlhf_reward=noisy_series(level)).verdict is Verdict.QUIET


def test_a_task_learned_within_the_first_steps_has_risen(judge: Judge) -> None:
    level = np.concatenate([np.linspace(0.2, 0.6, 10), np.full(150, 0.6)])
    assert judge("reward-not-improving", "grpo", reward=noisy_series(level, 0.01)).verdict is Verdict.QUIET


def test_a_falling_reward_does_not_improve(judge: Judge) -> None:
    assert (
        judge("reward-not-improving", "ppo", rlhf_reward=noisy_series(np.linspace(1, 0, 100))).severity
        is Severity.WARNING
    )


def test_full_marks_from_the_start_cannot_rise(judge: Judge) -> None:
    assert judge("reward-not-improving", "grpo", reward="0.91x100").verdict is Verdict.QUIET
    assert judge("reward-not-improving", "grpo", reward="0.89x100").severity is Severity.WARNING


def test_full_marks_are_those_of_the_score_where_the_kl_penalty_is_part_of_the_reward(judge: Judge) -> None:
    solved = {"score": "1x100", "rlhf_reward": "1.0002x100"}  # a mean KL a little below 0 adds to the score
    assert judge("reward-not-improving", "ppo", **solved).verdict is Verdict.QUIET
    assert judge("reward-not-improving", "ppo", **{**solved, "score": "0.89x100"}).severity is Severity.WARNING


def test_it_is_skipped_where_no_reward_is_logged(judge: Judge) -> None:
    assert judge("reward-not-improving", "ppo", value_loss="1x100").verdict is Verdict.SKIPPED


def test_in_a_short_run_a_small_gain_counts(judge: Judge) -> None:
    draws = noisy_series(np.concatenate([np.full(20, 0.50), np.full(20, 0.52)]))
    assert judge("reward-not-improving", "grpo", reward=draws, total=40).verdict is Verdict.QUIET
    assert judge("reward-not-improving", "grpo", reward=draws - np.linspace(0, 0.1, 40), total=40).severity is not None


def test_a_short_run_that_lost_reward_is_a_warning_and_one_that_wanders_with_its_batches_a_note(judge: Judge) -> None:
    lost = noisy_series(np.linspace(0.6, 0.3, 40))
    assert judge("reward-not-improving", "grpo", reward=lost, total=40).severity is Severity.WARNING
    level = noisy_series(np.linspace(0.51, 0.49, 40))
    assert judge("reward-not-improving", "grpo", reward=level, total=40).severity is Severity.INFO


def test_a_batch_too_small_to_tell_a_small_gain_is_skipped_with_the_numbers(judge: Judge) -> None:
    falling = np.concatenate([np.full(20, 0.50), np.full(20, 0.49)])
    small, large = (
        judge("reward-not-improving", "grpo", reward=noisy_series(falling, 0.5 / root), reward_std="0.5x40", total=40)
        for root in (2, 16)  # of the answers in a batch
    )
    assert (small.verdict, large.verdict) == (Verdict.SKIPPED, Verdict.FIRED)
    assert small.message.values["small"] == 0.1


def test_a_growing_run_is_looked_at_often_so_that_a_gain_must_be_ruled_out_more_surely(judge: Judge) -> None:
    flat = {"reward": noisy_series(np.full(100, 0.5), 0.15), "reward_std": "0.35x100"}
    for state, verdict in (("running", Verdict.SKIPPED), ("finished", Verdict.FIRED)):
        assert judge("reward-not-improving", "grpo", **flat, state=state).verdict is verdict


def test_a_small_gain_that_is_ruled_out_is_none(judge: Judge) -> None:
    falling = noisy_series(np.linspace(0.6, 0.5, 40), scale=0.02)
    assert judge("reward-not-improving", "grpo", reward=falling, reward_std="0.5x40", total=40).severity is not None
    assert judge("reward-not-improving", "grpo", reward="0.5x40", reward_std="0x40", total=40).severity is not None


def test_a_reward_that_is_where_it_was_over_a_long_run_is_flat_whatever_its_first_batches_say(judge: Judge) -> None:
    level = noisy_series(np.full(400, 0.3), scale=0.1)
    level[:20] -= 0.08  # which makes the start of the run look low
    outcome = judge("reward-not-improving", "grpo", reward=level, reward_std="0.5x400")
    assert (outcome.severity, outcome.message.template) == (Severity.WARNING, "reward-not-improving.flat")
    assert (outcome.first_step, outcome.last_step, outcome.limit) == (1, 400, 0.1)


def test_a_small_gain_over_a_long_run_that_is_not_ruled_out_is_quiet(judge: Judge) -> None:
    level = noisy_series(np.linspace(0.3, 0.42, 400), scale=0.1)
    assert judge("reward-not-improving", "grpo", reward=level, reward_std="0.5x400").verdict is Verdict.QUIET


def test_without_a_spread_that_of_right_and_wrong_answers_counts(judge: Judge) -> None:
    level = noisy_series(np.full(400, 0.3), scale=0.05)
    level[:20] -= 0.08
    outcome = judge("reward-not-improving", "grpo", reward=level)
    assert outcome.message.template == "reward-not-improving.flat"
    assert outcome.limit == pytest.approx(0.2 * np.sqrt(0.3 * 0.7), abs=0.005)


def test_a_score_that_rises_under_a_flat_penalised_reward_is_a_rise(judge: Judge) -> None:
    flat = noisy_series(np.full(400, 0.3), scale=0.05)
    flat[:20] -= 0.2
    logged = {"rlhf_reward": flat, "score": noisy_series(np.linspace(0.3, 0.7, 400)), "score_std": "0.4x400"}
    assert judge("reward-not-improving", "ppo", **logged).verdict is Verdict.QUIET


def test_a_hundred_steps_may_be_twenty_rows(make_run: Callable[..., Run]) -> None:
    run = make_run("grpo", reward=noisy_series(np.full(20, 0.5), 0.01), config={"logging_steps": 5}, total=100)
    series = {name: replace(item, steps=5 * item.steps) for name, item in run.series.items()}
    (outcome,) = engine.evaluate(replace(run, series=series), [RewardNotImproving()])
    assert outcome.severity is Severity.WARNING


def test_of_rows_of_ten_steps_the_first_one_may_be_the_start(make_run: Callable[..., Run]) -> None:
    rows = noisy_series(np.array([0.3, *[0.6] * 14]), 0.01)
    run = make_run("grpo", reward=rows, config={"logging_steps": 10}, total=150)
    series = {name: replace(item, steps=10 * item.steps) for name, item in run.series.items()}
    (outcome,) = engine.evaluate(replace(run, series=series), [RewardNotImproving()])
    assert outcome.verdict is Verdict.QUIET


def test_of_a_reward_without_a_known_range_a_fifth_of_its_batches_spread_must_be_ruled_out(judge: Judge) -> None:
    level = noisy_series(np.full(9000, -1.8), scale=0.5)
    level[:20] -= 0.5
    assert judge("reward-not-improving", "unknown", reward=level).message.template == "reward-not-improving.flat"
    short = judge("reward-not-improving", "unknown", reward=level[20:150])
    assert short.message.template != "reward-not-improving.flat"


def test_an_rlhf_reward_whose_gain_the_kl_penalty_takes_away_is_noted(judge: Judge) -> None:
    rlhf, score = noisy_series(np.linspace(0.3, 0.2, 120), 0.02), noisy_series(np.linspace(0.3, 0.6, 120), 0.02)
    outcome = judge("reward-not-improving", "ppo", rlhf_reward=rlhf, score=score)
    assert (outcome.severity, outcome.message.template) == (Severity.INFO, "reward-not-improving.penalty")
    assert judge("reward-not-improving", "ppo", rlhf_reward=rlhf, score=rlhf).severity is Severity.WARNING


def test_a_gain_that_the_noise_between_batches_of_known_size_may_hide_is_not_judged(judge: Judge) -> None:
    logged = {"rlhf_reward": noisy_series(np.full(100, 0.5))}
    assert judge("reward-not-improving", "ppo", **logged).severity is Severity.WARNING
    known = judge("reward-not-improving", "ppo", config={"per_device_train_batch_size": 1}, **logged)
    assert known.message.template == "reward-not-improving.noisy"


def test_what_was_learned_in_the_first_of_a_few_rows_is_a_rise(judge: Judge) -> None:
    means_of_ten = "2.2 2.5 2.66 2.69 2.72 2.71 2.72 2.75 2.71 2.76"
    config = {"logging_steps": 10}
    outcome = judge("reward-not-improving", "rloo", reward=means_of_ten, config=config)
    assert outcome.verdict is not Verdict.FIRED


@pytest.mark.parametrize(("first", "verdict"), [("0.4875 0.6024", Verdict.QUIET), ("0.71 0.705", Verdict.FIRED)])
def test_the_first_of_a_few_rows_is_the_start_where_a_steep_curve_looks_like_drift(
    make_run: Callable[..., Run], first: str, verdict: Verdict
) -> None:
    """A run of TRL that went from 0.33 to 0.84 on held-out prompts."""
    rows = f"{first} 0.7077 0.7016 0.7069 0.7028 0.708 0.7304 0.7179 0.6966 0.7229 0.7377 0.7393 0.6997"
    run = make_run("rloo", reward=rows, reward_std="0.25x14", config={"logging_steps": 10}, total=140)
    series = {name: replace(item, steps=10 * item.steps) for name, item in run.series.items()}
    (outcome,) = engine.evaluate(replace(run, series=series), [RewardNotImproving()])
    assert outcome.verdict is verdict


FAR = {
    "reward": noisy_series(np.full(40, 0.5), 0.01),
    "reward_std": "0.3x40",
    "length_mean": "10x40",
    "state": "finished",
}


def test_a_reward_that_a_policy_far_from_its_start_does_not_take_along_is_a_warning_in_a_short_run(
    judge: Judge,
) -> None:
    """Ten nats per answer may gain 4.5 deviations; 7 % of that are 0.09."""
    outcome = judge("reward-not-improving", "grpo", **FAR, kl_per_token="0..1x20 1x20")
    assert (outcome.severity, outcome.message.template) == (Severity.WARNING, "reward-not-improving.far")
    assert (outcome.first_step, outcome.last_step) == (1, 40)
    assert outcome.message.values["kl"] == pytest.approx(10)
    assert outcome.limit == pytest.approx(0.07 * np.sqrt(2 * 10) * 0.3)


@pytest.mark.parametrize(
    "others",
    [
        {"kl_per_token": "0..1x20 1x20", "state": "running"},  # of the first steps nothing follows yet
        {"kl_per_token": "0..0.04x20 0.04x20"},  # near: what it may have gained is as small as the noise
        {"kl_per_token": "1x40"},  # it was as far away before any training
        {"kl_per_token": "0..1x20 1x20", "reward": noisy_series(np.linspace(0.5, 0.62, 40), 0.01)},
        {"kl_per_token": "0..1x20 1x20", "reward_std": "0.3x20 0.05x20"},  # answers come to earn the same
        {"kl_per_token": "0..1x20 1x20", "reward": noisy_series(np.repeat([0.5, 0.3, 0.5], [14, 13, 13]), 0.01)},
        {"kl_per_token": "0..1x20 1x20", "reward": noisy_series(np.repeat([0.5, 0.52] * 4, 5), 0.01)},  # it wanders
        {"kl_per_token": "0..1x20 1x20", "reward": noisy_series(np.full(40, 0.98), 0.001)},  # full marks
    ],
)
def test_it_follows_where_it_gains_or_moves_or_cannot_have_gained(judge: Judge, others: dict[str, object]) -> None:
    outcome = judge("reward-not-improving", "grpo", **{**FAR, **others})
    assert outcome.message.template != "reward-not-improving.far"


@pytest.mark.parametrize(("state", "severity"), [("finished", Severity.WARNING), ("running", Severity.INFO)])
def test_a_short_run_that_has_finished_where_it_began_has_gained_nothing(
    judge: Judge, state: str, severity: Severity
) -> None:
    level = noisy_series(np.full(60, 0.3), 0.02)
    outcome = judge("reward-not-improving", "grpo", reward=level, reward_std="0.5x60", total=60, state=state)
    assert outcome.severity is severity
    assert (outcome.message.template == "reward-not-improving.flat") is (state == "finished")
    few = judge("reward-not-improving", "grpo", reward=level, reward_std="0.053x60", total=60, state=state)
    assert few.message.template != "reward-not-improving.flat"  # a gain of 15 % of so small a spread may be hidden


def test_a_finished_run_of_a_few_steps_had_no_time_to_gain(judge: Judge) -> None:
    for points, template in ((29, "engine.too-few"), (30, "reward-not-improving.flat")):
        outcome = judge("reward-not-improving", "grpo", reward=f"0.5x{points}", state="finished")
        assert outcome.message.template == template


@pytest.mark.parametrize("state", ["finished", "silent"])
def test_a_clear_rise_of_a_run_that_has_ended_needs_no_thirty_points(judge: Judge, state: str) -> None:
    for points, verdict in ((14, Verdict.SKIPPED), (15, Verdict.QUIET), (25, Verdict.QUIET)):
        rises = noisy_series(np.linspace(0.2, 0.78, points), 0.05)
        assert judge("reward-not-improving", "grpo", reward=rises, state=state).verdict is verdict
        assert judge("reward-not-improving", "grpo", reward=rises, state="running").verdict is Verdict.SKIPPED


def test_a_short_run_that_has_ended_without_a_clear_rise_is_told_what_it_lacks(judge: Judge) -> None:
    level = noisy_series(np.full(25, 0.5), 0.05)
    judged = judge("reward-not-improving", "grpo", reward=noisy_series(np.full(14, 0.5), 0.05), state="finished")
    assert judged.enable is not None
    assert judged.enable.template == "engine.too-few.enable"
    ended = judge("reward-not-improving", "grpo", reward=level, state="finished")
    grows = judge("reward-not-improving", "grpo", reward=level, state="running")
    assert (ended.verdict, grows.verdict) == (Verdict.SKIPPED, Verdict.SKIPPED)
    assert ended.enable is not None
    assert grows.enable is not None
    assert (ended.enable.template, ended.enable.values) == ("reward-not-improving.ended_enable", {"needed": 30})
    assert grows.enable.template == "engine.too-few.enable"
