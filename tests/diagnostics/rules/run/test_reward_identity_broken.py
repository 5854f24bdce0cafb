"""Tests of reward-identity-broken."""

from collections.abc import Callable

from diagnostics.model.outcome import Outcome, Severity, Verdict

Judge = Callable[..., Outcome]


def test_a_sum_that_is_off_for_three_points_is_a_warning(judge: Judge) -> None:
    logged = {"score": "1x20", "non_score_reward": "-0.2x20"}
    outcome = judge("reward-identity-broken", "ppo", rlhf_reward="0.8x9 1.2x3 0.8x8", **logged)
    assert (outcome.severity, outcome.first_step, outcome.last_step) == (Severity.WARNING, 10, 12)
    assert outcome.message.values["sum"] == 0.8
    assert judge("reward-identity-broken", "ppo", rlhf_reward="0.8x9 1.2x2 0.8x9", **logged).verdict is Verdict.QUIET


def test_a_reward_made_from_scaled_scores_adds_up_with_them(judge: Judge) -> None:
    logged = {"score": "9x20", "non_score_reward": "-0.2x20", "rlhf_reward": "0.8x20"}
    assert judge("reward-identity-broken", "ppo", scaled_score="1x20", **logged).verdict is Verdict.QUIET
    assert judge("reward-identity-broken", "ppo", scaled_score="2x20", **logged).verdict is Verdict.FIRED


def test_rounding_in_the_log_is_quiet(judge: Judge) -> None:
    logged = {"score": "1x20", "non_score_reward": "-0.2x20"}
    assert judge("reward-identity-broken", "ppo", rlhf_reward="0.809x20", **logged).verdict is Verdict.QUIET
    assert judge("reward-identity-broken", "ppo", rlhf_reward="0.811x20", **logged).verdict is Verdict.FIRED


def test_a_penalty_with_the_sign_of_the_kl_is_a_warning(judge: Judge) -> None:
    upside_down = {"score": "1x20", "non_score_reward": "0.2x20", "rlhf_reward": "1.2x20"}
    assert judge("reward-identity-broken", "ppo", kl_per_sequence="4x20", **upside_down).severity is Severity.WARNING
    assert judge("reward-identity-broken", "ppo", kl_per_sequence="-4x20", **upside_down).verdict is Verdict.QUIET


def test_the_sign_of_a_kl_near_zero_is_chance(judge: Judge) -> None:
    logged = {"score": "1x20", "non_score_reward": "0.001x20", "rlhf_reward": "1.001x20"}
    assert judge("reward-identity-broken", "ppo", kl_per_sequence="0.09x20", **logged).verdict is Verdict.QUIET


def test_a_nan_is_another_rules_business(judge: Judge) -> None:
    logged = {"score": "1x10 nanx10", "non_score_reward": "-0.2x20", "rlhf_reward": "0.8x10 nanx10"}
    assert judge("reward-identity-broken", "ppo", **logged).verdict is Verdict.QUIET


def test_it_is_skipped_where_its_input_is_missing(judge: Judge) -> None:
    assert judge("reward-identity-broken", "ppo", score="1x20", rlhf_reward="1x20").verdict is Verdict.SKIPPED
