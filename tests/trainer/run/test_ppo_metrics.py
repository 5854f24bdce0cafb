import pytest
import torch

from trainer.run.ppo_metrics import explained_variance, objective_metrics


def test_the_kl_penalty_is_negative_where_the_kl_is_positive_and_is_added_to_the_score():
    metrics = objective_metrics(torch.tensor([1.0, 3.0]), kl=4.0, kl_coef=0.05)
    assert metrics["objective/non_score_reward"] == pytest.approx(-0.2)
    assert metrics["objective/rlhf_reward"] == pytest.approx(1.8)
    assert metrics["objective/rlhf_reward"] == metrics["objective/scores"] + metrics["objective/non_score_reward"]


def test_a_negative_kl_is_rewarded():
    metrics = objective_metrics(torch.tensor([2.0]), kl=-4.0, kl_coef=0.05)
    assert metrics["objective/rlhf_reward"] == pytest.approx(2.2)


def test_where_nothing_has_a_score_only_the_kl_is_logged():
    metrics = objective_metrics(torch.zeros(0), kl=4.0, kl_coef=0.5, scaled_S=torch.zeros(0))
    assert metrics == {"objective/kl": 4.0, "objective/kl_coef": 0.5, "objective/non_score_reward": -2.0}


def test_explained_variance_is_1_for_a_perfect_critic_and_0_for_a_constant_one():
    returns_BT = torch.tensor([[1.0, 2.0, 9.0]])
    mask_BT = torch.tensor([[True, True, False]])
    assert explained_variance(returns_BT + 5, returns_BT, mask_BT) == {"val/var_explained": pytest.approx(1.0)}
    assert explained_variance(torch.zeros(1, 3), returns_BT, mask_BT) == {"val/var_explained": pytest.approx(0.0)}


def test_explained_variance_is_not_logged_where_the_returns_do_not_vary():
    assert explained_variance(torch.ones(1, 2), torch.ones(1, 2), torch.ones(1, 2).bool()) == {}
    assert explained_variance(torch.ones(1, 2), torch.ones(1, 2), torch.zeros(1, 2).bool()) == {}
