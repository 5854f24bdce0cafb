"""Tests of reward-stuck-at-floor."""

from collections.abc import Callable

import pytest

from diagnostics.model.outcome import Outcome, Severity, Verdict
from diagnostics.model.run import Run
from diagnostics.rules import RUN_RULES

Judge = Callable[..., Outcome]


def test_twenty_points_without_any_difference_are_critical(judge: Judge) -> None:
    outcome = judge("reward-stuck-at-floor", "grpo", reward="0x20", reward_std="0x20")
    assert (outcome.severity, outcome.first_step, outcome.last_step) == (Severity.CRITICAL, 1, 20)
    assert judge("reward-stuck-at-floor", "grpo", reward="0x19", reward_std="0x19").verdict is Verdict.SKIPPED


def test_the_first_success_ends_it(judge: Judge) -> None:
    outcome = judge("reward-stuck-at-floor", "grpo", reward="0x30 0.01", reward_std="0x30 0.1")
    assert outcome.verdict is Verdict.QUIET


def test_a_constant_mean_with_a_spread_is_quiet(judge: Judge) -> None:
    assert judge("reward-stuck-at-floor", "grpo", reward="0.5x30", reward_std="0.1x30").verdict is Verdict.QUIET


def test_full_marks_from_the_very_first_step_are_no_solved_task(judge: Judge) -> None:
    outcome = judge("reward-stuck-at-floor", "grpo", reward="1x30", reward_std="0x30")
    assert (outcome.severity, outcome.message.template) == (Severity.WARNING, "reward-stuck-at-floor.solved")
    assert outcome.remedies == ("checked-reward", "harder-prompts")
    unsolved = judge("reward-stuck-at-floor", "grpo", reward="0.9x30", reward_std="0x30")
    assert "easier-prompts" in unsolved.remedies


@pytest.mark.parametrize(("algorithm", "metric"), [("ppo", "score"), ("grpo", "reward"), ("rloo", "reward")])
def test_a_mean_that_never_moves_proves_it_without_a_spread(judge: Judge, algorithm: str, metric: str) -> None:
    for constant in ("0", "0.37"):
        outcome = judge("reward-stuck-at-floor", algorithm, **{metric: f"{constant}x250"})
        assert (outcome.severity, outcome.measured) == (Severity.CRITICAL, float(constant))
    assert judge("reward-stuck-at-floor", algorithm, **{metric: "0x249 0.001"}).verdict is Verdict.QUIET


def test_a_score_that_a_missing_end_alone_lowers_is_the_same_for_every_answer(judge: Judge) -> None:
    outcome = judge("reward-stuck-at-floor", "ppo", score="0.5x5 0.47 0.5x4 0.44 " * 6)
    assert (outcome.severity, outcome.measured) == (Severity.CRITICAL, 0.5)
    assert outcome.message.template == "reward-stuck-at-floor.ended"
    wavering = judge("reward-stuck-at-floor", "ppo", score="0.5 0.4999999 0.5000001 0.47 " * 15)
    assert wavering.message.values["percent"] == 75
    for score in ("0.5x20 0.47x20 0.5x20", "0.5x40 0.6", "-0.5..0x20 0x40"):
        assert judge("reward-stuck-at-floor", "ppo", score=score).verdict is Verdict.QUIET
    spread = judge("reward-stuck-at-floor", "ppo", score="0.5x5 0.47 0.5x4 0.44 " * 6, score_std="0.1x66")
    assert spread.verdict is Verdict.QUIET


def test_a_score_that_follows_from_the_number_of_end_tokens_pays_for_nothing_else(judge: Judge) -> None:
    ends, score = "28 31 30 32 " + "32x36", "0.375 0.46875 0.4375 0.5 " + "0.5x36"
    outcome = judge("reward-stuck-at-floor", "ppo", score=score, eos_tokens=ends)
    assert (outcome.severity, outcome.message.template) == (Severity.CRITICAL, "reward-stuck-at-floor.but_for_ends")
    assert (outcome.measured, outcome.message.values["less"]) == (0.5, 0.03125)
    full = judge("reward-stuck-at-floor", "ppo", score="0.875 0.96875 0.9375 1 " + "1x36", eos_tokens=ends)
    assert (full.severity, full.remedies) == (Severity.WARNING, ("checked-reward", "harder-prompts"))
    for others in ("0.375 0.46875 0.43 0.5 " + "0.5x36", "0.625 0.53125 0.5625 0.5 " + "0.5x36"):
        assert judge("reward-stuck-at-floor", "ppo", score=others, eos_tokens=ends).verdict is Verdict.QUIET
    few = judge("reward-stuck-at-floor", "ppo", score="0.375 0.5x39", eos_tokens="28 32x39")
    assert few.message.template == "reward-stuck-at-floor.ended"


def test_success_too_rare_to_learn_from_is_a_warning_after_fifty_points(judge: Judge) -> None:
    rare = "0 0 0.03 0 0 0.06 0 0 0 0.03 " * 6
    outcome = judge("reward-stuck-at-floor", "ppo", score=rare)
    assert (outcome.severity, outcome.message.template) == (Severity.WARNING, "reward-stuck-at-floor.rarely")
    assert outcome.headline.template == "reward-stuck-at-floor.headline_rarely"
    assert judge("reward-stuck-at-floor", "ppo", score="0 0 0.03 0 0 0.06 0 " * 7).verdict is Verdict.QUIET
    assert judge("reward-stuck-at-floor", "ppo", score=rare + "0 0.1 0.2 0.3 " * 8).verdict is Verdict.QUIET


def test_success_is_as_rare_where_answers_without_an_end_lose_something(judge: Judge) -> None:
    rare = "0 -0.03 0 0 0.06 0 0 -0.03 0 0 " * 6
    outcome = judge("reward-stuck-at-floor", "ppo", score=rare)
    assert (outcome.severity, outcome.measured) == (Severity.WARNING, 0.0)
    assert outcome.message.values["percent"] == pytest.approx(90)
    assert judge("reward-stuck-at-floor", "ppo", score="-0.01 -0.02 -0.03 0.01 " * 15).verdict is Verdict.QUIET


def test_rows_one_step_apart_are_no_means_of_ten_whatever_the_settings_say(judge: Judge) -> None:
    outcome = judge("reward-stuck-at-floor", "grpo", reward="0x5", config={"logging_steps": 10})
    assert outcome.verdict is Verdict.SKIPPED


def test_a_floor_may_be_below_zero(judge: Judge) -> None:
    outcome = judge("reward-stuck-at-floor", "grpo", reward="-1x30", reward_std="0x30")
    assert (outcome.severity, outcome.measured) == (Severity.CRITICAL, -1.0)


def test_a_spread_of_zero_proves_it_without_a_mean(judge: Judge) -> None:
    outcome = judge("reward-stuck-at-floor", "grpo", reward_std="0x50")
    assert (outcome.severity, outcome.message.template) == (Severity.CRITICAL, "reward-stuck-at-floor.unmeasured")
    assert judge("reward-stuck-at-floor", "grpo", reward_std="0x49 0.1").verdict is Verdict.QUIET


def test_a_policy_that_is_distilled_from_a_teacher_needs_no_reward(make_run: Callable[..., Run]) -> None:
    (rule,) = [rule for rule in RUN_RULES if rule.name == "reward-stuck-at-floor"]
    assert rule.applies(make_run("grpo", reward="0x50"))
    assert not rule.applies(make_run("grpo", reward="0x50", teacher_kl="4.5x50"))


def test_it_is_skipped_where_its_input_is_missing(judge: Judge) -> None:
    outcome = judge("reward-stuck-at-floor", "grpo", kl_per_token="0x30")
    assert (outcome.verdict, outcome.enable is not None) == (Verdict.SKIPPED, True)


def test_groups_of_which_hardly_an_answer_earns_anything_are_a_warning_after_fifty_points(judge: Judge) -> None:
    rare = "0.01 0.02 0 0.015 0.005 " * 12
    outcome = judge("reward-stuck-at-floor", "grpo", reward=rare)
    assert (outcome.severity, outcome.message.template) == (Severity.WARNING, "reward-stuck-at-floor.seldom")
    assert (outcome.limit, outcome.headline.template) == (0.02, "reward-stuck-at-floor.headline_rarely")
    functions = {"reward_func_mean/a": rare, "reward_func_mean/b": "0x60"}
    assert judge("reward-stuck-at-floor", "rloo", reward=rare, functions=functions).limit == 0.04
    for other in ("0.01 0.02 0 0.015 0.005 " * 9, "0.05 0.02 0.03 0.025 0.05 " * 12, rare + "0.02..0.3x60"):
        assert judge("reward-stuck-at-floor", "grpo", reward=other).verdict is Verdict.QUIET


def test_groups_that_nearly_always_earn_the_least_are_a_warning_on_any_scale(judge: Judge) -> None:
    outcome = judge("reward-stuck-at-floor", "grpo", reward="-1x29 -0.9 -1x29 -0.9 -1x30")
    assert (outcome.severity, outcome.message.template) == (Severity.WARNING, "reward-stuck-at-floor.rarely")
    for other in ("-1x29 -0.9 -1x10", "-1 -1 -1 -1 -0.5 " * 12, "2x29 1.9 2x29 1.9 2x30", "1.1 0x59"):
        assert judge("reward-stuck-at-floor", "grpo", reward=other).verdict is Verdict.QUIET


@pytest.mark.parametrize("sound", ["0.434", "0.434 0.466", "0.434 0.466 0.461", "0.43 0.47 0.46 0.3 0.1"])
@pytest.mark.parametrize(("algorithm", "metric", "gone"), [("grpo", "reward", "0x150"), ("ppo", "score", "-1x150")])
def test_a_reward_that_was_there_is_gone_since_it_went(
    judge: Judge, algorithm: str, metric: str, gone: str, sound: str
) -> None:
    outcome = judge("reward-stuck-at-floor", algorithm, **{metric: f"{sound} {gone}"})
    assert (outcome.severity, outcome.message.template) == (Severity.WARNING, "reward-stuck-at-floor.lost")
    assert (outcome.first_step, outcome.message.values["percent"]) == (len(sound.split()) + 1, 100)
    assert outcome.message.values["earned"] == max(map(float, sound.split()))
    assert outcome.headline.template == "reward-stuck-at-floor.headline_lost"


@pytest.mark.parametrize("lucky", ["0.09 0x60", "0.125 0x20 0.0625 0x40", "0 0.4 0x60", "0.4 0 0.41 0x60"])
def test_a_lucky_first_answer_is_no_reward_that_was_there(judge: Judge, lucky: str) -> None:
    outcome = judge("reward-stuck-at-floor", "grpo", reward=lucky)
    assert (outcome.first_step, outcome.message.template) == (1, "reward-stuck-at-floor.seldom")
