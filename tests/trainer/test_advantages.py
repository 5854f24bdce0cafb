import pytest
import torch

from trainer.advantages import ADVANTAGE_EPSILON, gae, group_advantages, token_rewards

MASK_BT = torch.tensor([[True, True, True], [True, False, False]])
VALUES_BT = torch.tensor([[0.5, 0.25, 1.0], [2.0, 9.0, 9.0]])
ALL_SCORABLE = torch.tensor([True] * 4)


def test_the_score_comes_with_the_last_real_token_and_the_penalty_with_each():
    rewards_BT = token_rewards(torch.tensor([10.0, 20.0]), torch.ones(2, 3), MASK_BT, kl_coef=0.5)
    assert rewards_BT.tolist() == [[-0.5, -0.5, 9.5], [19.5, 0.0, 0.0]]


def test_with_lambda_1_the_advantage_is_the_discounted_sum_of_rewards_minus_the_value():
    rewards_BT = torch.tensor([[1.0, 2.0, 4.0], [8.0, 0.0, 0.0]])
    advantages_BT, returns_BT = gae(rewards_BT, VALUES_BT, MASK_BT, gamma=0.5, lam=1.0)
    assert returns_BT.tolist() == [[3.0, 4.0, 4.0], [8.0, 0.0, 0.0]]
    assert advantages_BT.tolist() == [[2.5, 3.75, 3.0], [6.0, 0.0, 0.0]]


def test_with_lambda_0_the_advantage_is_the_one_step_error():
    rewards_BT = torch.tensor([[1.0, 2.0, 4.0], [8.0, 0.0, 0.0]])
    advantages_BT, _ = gae(rewards_BT, VALUES_BT, MASK_BT, gamma=1.0, lam=0.0)
    assert advantages_BT.tolist() == [[0.75, 2.75, 3.0], [6.0, 0.0, 0.0]]


def test_the_value_behind_the_last_token_is_not_bootstrapped_from_padding():
    advantages_BT, _ = gae(torch.zeros(2, 3), VALUES_BT, MASK_BT, gamma=1.0, lam=1.0)
    assert advantages_BT[1].tolist() == [-2.0, 0.0, 0.0]


def test_a_group_is_compared_with_itself_in_deviations():
    rewards_B = torch.tensor([0.0, 1.0, 3.0, 3.0])
    compared = group_advantages(rewards_B, ALL_SCORABLE, group_size=2, scale="group")
    expected = 0.5 / (0.5**0.5 + ADVANTAGE_EPSILON)
    assert compared.advantages_B.tolist() == pytest.approx([-expected, expected, 0.0, 0.0])
    assert compared.has_signal_B.tolist() == [True, True, False, False]


def test_batch_scaling_divides_all_groups_by_the_same_deviation():
    rewards_B = torch.tensor([0.0, 1.0, 3.0, 3.0])
    compared = group_advantages(rewards_B, ALL_SCORABLE, group_size=2, scale="batch")
    expected = 0.5 / (rewards_B.std().item() + ADVANTAGE_EPSILON)
    assert compared.advantages_B.tolist() == pytest.approx([-expected, expected, 0.0, 0.0])
    assert compared.has_signal_B.tolist() == [True] * 4


def test_unscaled_advantages_are_differences():
    compared = group_advantages(torch.tensor([0.0, 1.0, 3.0, 3.0]), ALL_SCORABLE, group_size=2, scale="none")
    assert compared.advantages_B.tolist() == [-0.5, 0.5, 0.0, 0.0]


def test_an_unscorable_completion_counts_in_no_mean_and_has_no_advantage():
    scorable_B = torch.tensor([True, True, False, False])
    compared = group_advantages(torch.tensor([1.0, 3.0, 0.0, 0.0]), scorable_B, group_size=4, scale="none")
    assert compared.advantages_B.tolist() == [-1.0, 1.0, 0.0, 0.0]
