"""Tests of reward-saturated."""

from collections.abc import Callable

from diagnostics.model.outcome import Outcome, Severity, Verdict

Judge = Callable[..., Outcome]


def test_a_high_reward_and_silent_groups_for_twenty_points_are_noted(judge: Judge) -> None:
    outcome = judge("reward-saturated", "grpo", reward="0.5x10 0.96x30", zero_std_fraction="0.1x10 0.6x30")
    assert (outcome.severity, outcome.limit) == (Severity.INFO, 0.95)
    assert judge("reward-saturated", "grpo", reward="0.5x10 0.96x21", zero_std_fraction="0.6x31").verdict is (
        Verdict.QUIET
    )


def test_a_reward_that_never_moved_from_full_marks_is_no_solved_task(judge: Judge) -> None:
    assert judge("reward-saturated", "grpo", reward="1x60", zero_std_fraction="1x60").verdict is Verdict.QUIET
    assert judge("reward-saturated", "ppo", score="1x60").verdict is Verdict.QUIET
    assert judge("reward-saturated", "ppo", score="0.9 1x59").verdict is Verdict.FIRED


def test_just_below_either_limit_is_quiet(judge: Judge) -> None:
    assert judge("reward-saturated", "grpo", reward="0.94x60", zero_std_fraction="0.6x60").verdict is Verdict.QUIET
    assert judge("reward-saturated", "grpo", reward="0.9 0.96x59", zero_std_fraction="0.49x60").verdict is Verdict.QUIET


def test_the_weights_say_what_the_highest_reward_is(judge: Judge) -> None:
    functions = {"reward_func_mean/a": "1x60", "reward_func_mean/b": "1x60"}
    logged = {"reward": "1.9 2x59", "zero_std_fraction": "0.9x60", "functions": functions}
    assert judge("reward-saturated", "grpo", **logged).verdict is Verdict.FIRED
    weighted = judge("reward-saturated", "grpo", config={"reward_weights": [1.0, 2.0]}, **logged)
    assert weighted.verdict is Verdict.QUIET


def test_a_function_that_counts_negative_adds_nothing_to_the_highest_reward(judge: Judge) -> None:
    functions = {"reward_func_mean/a": "1x60", "reward_func_mean/b": "0x60"}
    logged = {"reward": "1.9 2x59", "zero_std_fraction": "0.9x60", "functions": functions}
    weighted = judge("reward-saturated", "grpo", config={"reward_weights": [2.0, -1.0]}, **logged)
    assert weighted.verdict is Verdict.FIRED
    almost = judge(
        "reward-saturated", "grpo", config={"reward_weights": [2.0, -1.0]}, **{**logged, "reward": "1.7 1.8x59"}
    )
    assert almost.verdict is Verdict.QUIET


def test_it_is_skipped_where_the_rewards_have_no_known_end(judge: Judge) -> None:
    outcome = judge("reward-saturated", "grpo", reward="6 7x59", zero_std_fraction="0.9x60")
    assert (outcome.verdict, outcome.enable is not None) == (Verdict.SKIPPED, True)


def test_it_is_skipped_where_its_input_is_missing(judge: Judge) -> None:
    assert judge("reward-saturated", "grpo", reward="1x60").verdict is Verdict.SKIPPED
    assert judge("reward-saturated", "ppo", rlhf_reward="1x60").verdict is Verdict.SKIPPED


def test_ppo_has_no_groups_and_is_judged_by_its_score(judge: Judge) -> None:
    outcome = judge("reward-saturated", "ppo", score="0.5x10 0.96x30", rlhf_reward="0.5x10 1.01x30")
    assert (outcome.severity, outcome.message.template) == (Severity.INFO, "reward-saturated.fired_alone")
    assert judge("reward-saturated", "ppo", score="0.5x10 0.96x21").verdict is Verdict.QUIET
    assert judge("reward-saturated", "ppo", score="0.94x60").verdict is Verdict.QUIET
    assert judge("reward-saturated", "ppo", score="7x60").verdict is Verdict.SKIPPED


def test_a_share_over_the_batch_counts_silent_steps(judge: Judge) -> None:
    logged = {"reward": "0.9 0.97x59", "config": {"scale_rewards": "batch"}}
    outcome = judge("reward-saturated", "grpo", **logged, zero_std_fraction=" ".join(["1 0"] * 30))
    assert (outcome.verdict, outcome.message.template) == (Verdict.FIRED, "reward-saturated.fired_batches")
    rarer = judge("reward-saturated", "grpo", **logged, zero_std_fraction=" ".join(["1 0 0"] * 20))
    assert rarer.verdict is Verdict.QUIET
    by_group = {**logged, "config": {}}
    assert judge("reward-saturated", "grpo", **by_group, zero_std_fraction=" ".join(["1 0"] * 30)).verdict is (
        Verdict.QUIET
    )
