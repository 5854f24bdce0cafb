"""Checks of the KL penalty, at their boundaries."""

import pytest


@pytest.mark.parametrize(
    ("config", "algorithm", "word"),
    [
        ({"kl_coef": 0.0, "task": "remarks"}, "ppo", "warning"),
        ({"kl_coef": 0.001, "task": "remarks"}, "ppo", "quiet"),
        ({"beta": 0.0, "task": "addition"}, "grpo", "info"),
        ({"beta": 0.0, "reward_funcs": ["reward_model:some/model"]}, "grpo", "warning"),
        ({"beta": 0.0, "reward_funcs": ["rewards.py:accuracy"]}, "grpo", "info"),
    ],
)
def test_no_kl_penalty_is_a_warning_where_the_reward_is_learned(judged, config, algorithm, word) -> None:
    assert judged("pf-kl-off", config, algorithm).word == word


def test_verl_has_a_switch_beside_the_weight(judged) -> None:
    config = {"actor_rollout_ref.actor.kl_loss_coef": 0.001, "actor_rollout_ref.actor.use_kl_loss": False}
    assert judged("pf-kl-off", config, producer="verl").word == "info"
    assert judged("pf-kl-off", {**config, "actor_rollout_ref.actor.use_kl_loss": True}, producer="verl").word == "quiet"


@pytest.mark.parametrize(
    ("weight", "tokens", "word"),
    [(0.3, 50, "quiet"), (0.301, 50, "info"), (0.001, 50, "quiet"), (0.00099, 50, "info"), (0.0, 50, "quiet")],
)
def test_the_penalty_is_compared_with_what_scores_differ_by(judged, weight, tokens, word) -> None:
    assert judged("pf-kl-scale", {"kl_coef": weight, "response_length": tokens}, "ppo").word == word


def test_the_penalty_of_grpo_is_part_of_the_loss_and_not_of_the_score(judged) -> None:
    assert judged("pf-kl-scale", {"beta": 10.0}) is None
