import pytest
import torch

from trainer.algorithms.advantages import ADVANTAGE_EPSILON, gae, group_advantages, token_rewards

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


def test_gae_is_the_discounted_sum_of_one_step_errors_by_hand():
    rewards_BT = torch.tensor([[1.0, 2.0, 4.0]])
    values_BT = torch.tensor([[0.5, 0.25, 1.0]])
    errors = (1 + 0.5 * 0.25 - 0.5, 2 + 0.5 * 1.0 - 0.25, 4 - 1.0)  # 0.625, 2.25, 3
    advantages_BT, returns_BT = gae(rewards_BT, values_BT, torch.ones(1, 3).bool(), gamma=0.5, lam=0.8)
    expected = [0.625 + 0.4 * (2.25 + 0.4 * 3), 2.25 + 0.4 * 3, 3.0]
    assert errors == (0.625, 2.25, 3.0)
    assert advantages_BT[0].tolist() == pytest.approx(expected)
    assert returns_BT[0].tolist() == pytest.approx([a + v for a, v in zip(expected, (0.5, 0.25, 1.0), strict=True)])


@pytest.mark.parametrize(("gamma", "lam"), [(1.0, 0.95), (0.9, 0.8), (1.0, 0.0), (0.7, 1.0), (0.0, 0.5)])
def test_gae_equals_its_definition_as_a_double_sum(gamma, lam):
    generator = torch.Generator().manual_seed(0)
    mask_BT = torch.arange(6) < torch.tensor([[6], [4], [1]])
    rewards_BT = torch.where(mask_BT, torch.randn(3, 6, generator=generator), 0.0)
    values_BT = torch.randn(3, 6, generator=generator)
    advantages_BT, _ = gae(rewards_BT, values_BT, mask_BT, gamma, lam)
    for rewards, values, length, found in zip(rewards_BT, values_BT, (6, 4, 1), advantages_BT, strict=True):
        following = [*values[1:length].tolist(), 0.0]
        errors = [float(rewards[t]) + gamma * following[t] - float(values[t]) for t in range(length)]
        for t in range(length):
            expected = sum((gamma * lam) ** (k - t) * errors[k] for k in range(t, length))
            assert found[t].item() == pytest.approx(expected, abs=1e-5)
        assert found[length:].tolist() == [0.0] * (6 - length)


def test_columns_of_padding_change_no_advantage():
    rewards_BT = torch.tensor([[1.0, 2.0, 4.0], [8.0, 0.0, 0.0]])
    plain = gae(rewards_BT, VALUES_BT, MASK_BT, gamma=0.9, lam=0.8)
    wider = gae(
        torch.cat([rewards_BT, torch.full((2, 2), 5.0)], 1),
        torch.cat([VALUES_BT, torch.full((2, 2), 7.0)], 1),
        torch.cat([MASK_BT, torch.zeros(2, 2).bool()], 1),
        gamma=0.9,
        lam=0.8,
    )
    assert wider.advantages_BT[:, :3].tolist() == plain.advantages_BT.tolist()
    assert wider.returns_BT[:, :3].tolist() == plain.returns_BT.tolist()


def test_a_kl_penalty_with_the_wrong_sign_would_reward_leaving_the_reference():
    rewards_BT = token_rewards(torch.zeros(2), torch.full((2, 3), 2.0), MASK_BT, kl_coef=0.5)
    assert rewards_BT[MASK_BT].tolist() == [-1.0] * 4


@pytest.mark.parametrize("scale", ["group", "batch", "none"])
def test_the_order_within_a_group_does_not_matter(scale):
    rewards_B, order_B = torch.tensor([0.0, 1.0, 5.0, 2.0, 2.0, 7.0]), torch.tensor([2, 0, 1, 5, 4, 3])
    scorable_B = torch.tensor([True, True, True, True, False, True])
    plain = group_advantages(rewards_B, scorable_B, group_size=3, scale=scale)
    moved = group_advantages(rewards_B[order_B], scorable_B[order_B], group_size=3, scale=scale)
    assert moved.advantages_B.tolist() == pytest.approx(plain.advantages_B[order_B].tolist())


@pytest.mark.parametrize("scale", ["group", "batch", "none"])
def test_the_order_across_groups_does_matter(scale):
    rewards_B = torch.tensor([0.0, 1.0, 5.0, 2.0])
    plain = group_advantages(rewards_B, ALL_SCORABLE, group_size=2, scale=scale)
    mixed_B = torch.tensor([0, 2, 1, 3])
    mixed = group_advantages(rewards_B[mixed_B], ALL_SCORABLE, group_size=2, scale=scale)
    assert mixed.advantages_B.tolist() != pytest.approx(plain.advantages_B[mixed_B].tolist(), rel=0.1)


def test_a_constant_added_to_a_groups_rewards_changes_nothing_and_a_factor_nothing_when_scaled():
    rewards_B = torch.tensor([0.0, 1.0, 5.0, 2.0])
    plain = group_advantages(rewards_B, ALL_SCORABLE, group_size=4, scale="group").advantages_B.tolist()
    for changed_B in (rewards_B + 100, rewards_B * 100):
        changed = group_advantages(changed_B, ALL_SCORABLE, group_size=4, scale="group").advantages_B.tolist()
        assert changed == pytest.approx(plain, abs=1e-3)


def test_the_deviation_of_a_group_is_the_sample_one():
    rewards_B = torch.tensor([0.0, 2.0])
    advantage = group_advantages(rewards_B, torch.ones(2).bool(), group_size=2, scale="group").advantages_B[1].item()
    assert advantage == pytest.approx(1 / (2**0.5 + ADVANTAGE_EPSILON))
    assert advantage != pytest.approx(1 / (1 + ADVANTAGE_EPSILON), rel=0.1)  # with the population's divisor


def test_a_group_without_any_score_has_no_advantage_and_no_signal():
    scorable_B = torch.tensor([False, False, True, True])
    compared = group_advantages(torch.tensor([0.0, 0.0, 1.0, 2.0]), scorable_B, group_size=2, scale="group")
    assert compared.advantages_B[:2].tolist() == [0.0, 0.0]
    assert compared.has_signal_B.tolist() == [False, False, True, True]
