"""Tests of reward-std-shrink."""

from collections.abc import Callable

from diagnostics.model.outcome import Outcome, Severity, Verdict
from diagnostics.wording.messages import message_text

Judge = Callable[..., Outcome]


def test_a_fifth_of_its_start_for_ten_points_is_a_warning(judge: Judge) -> None:
    outcome = judge("reward-std-shrink", "grpo", reward_std="0.5x30 0.1x20", reward="0.3x50")
    assert (outcome.severity, outcome.first_step, outcome.limit) == (Severity.WARNING, 31, 0.1)


def test_nine_points_or_a_little_more_are_quiet(judge: Judge) -> None:
    assert judge("reward-std-shrink", "grpo", reward_std="0.5x30 0.1x9 0.5x20", reward="0.3x59").verdict is (
        Verdict.QUIET
    )
    assert judge("reward-std-shrink", "grpo", reward_std="0.5x30 0.11x20", reward="0.3x50").verdict is Verdict.QUIET


def test_it_is_only_noted_where_the_reward_has_risen(judge: Judge) -> None:
    outcome = judge("reward-std-shrink", "ppo", score_std="2x30 0.3x20", score="1x20 1..3x10 3x20")
    assert outcome.severity is Severity.INFO


def test_a_solved_task_is_quiet(judge: Judge) -> None:
    outcome = judge("reward-std-shrink", "grpo", reward_std="0.5x30 0.05x20", reward="0.3x20 0.3..0.97x10 0.97x20")
    assert outcome.verdict is Verdict.QUIET


def test_what_never_had_a_spread_cannot_lose_it(judge: Judge) -> None:
    assert judge("reward-std-shrink", "grpo", reward_std="0x50", reward="0x50").verdict is Verdict.QUIET


def test_a_short_run_says_how_many_points_it_needs(judge: Judge) -> None:
    outcome = judge("reward-std-shrink", "grpo", reward_std="0.5x29", reward="0.3x29")
    assert (outcome.verdict, outcome.message.values) == (Verdict.SKIPPED, {"needed": 30, "found": 29})


def test_it_is_skipped_where_its_input_is_missing(judge: Judge) -> None:
    assert judge("reward-std-shrink", "grpo", reward="0.3x50").verdict is Verdict.SKIPPED


def test_it_says_stayed_only_where_nearly_every_point_was_low(judge: Judge) -> None:
    often = judge(
        "reward-std-shrink", "grpo", reward="0.1x200", reward_std="0.2x40 " + "0.01 0.01 0.01 0.19 0.19 " * 30
    )
    always = judge("reward-std-shrink", "grpo", reward="0.1x200", reward_std="0.2x40 0.01x150")
    assert "was below 0.04 at 60 % of the points (judged by the median of 5) from step 41" in message_text(
        often.message
    )
    assert "stayed below 0.04 from step 41" in message_text(always.message)


def test_a_few_groups_of_two_that_often_agree_by_chance_have_a_median_of_zero_and_a_spread(judge: Judge) -> None:
    often = " ".join(["0 0.354 0 0 0.177"] * 10)  # of a public log with two answers to a prompt
    logged = {"reward_std": f"0.177x20 {often}", "reward": "0.4x70"}
    assert judge("reward-std-shrink", "grpo", **logged).verdict is Verdict.QUIET
    gone = {"reward_std": "0.177x20 " + " ".join(["0 0.05 0 0 0"] * 10), "reward": "0.4x70"}
    assert judge("reward-std-shrink", "grpo", **gone).severity is Severity.WARNING
