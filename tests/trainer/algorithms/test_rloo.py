"""RLOO by hand: the leave-one-out baseline, the KL in the reward, and a loss in which a completion is one action."""

import math

import pytest
import torch
from torch import Tensor

from trainer.algorithms.advantages import ADVANTAGE_EPSILON, leave_one_out_advantages, penalised_scores
from trainer.algorithms.losses import rloo_loss

MASK_BT = torch.tensor([[True, True], [True, False]])


def advantages(rewards: list[float], group_size: int, normalize: bool = False) -> list[float]:
    rewards_B = torch.tensor(rewards)
    scorable_B = ~rewards_B.isnan()
    found = leave_one_out_advantages(rewards_B.nan_to_num(), scorable_B, group_size, normalize)
    return found.advantages_B.tolist()


def test_a_completion_is_compared_with_the_mean_of_the_others():
    assert advantages([1.0, 2.0, 6.0], 3) == [1 - 4, 2 - 3.5, 6 - 1.5]
    assert advantages([1.0, 2.0, 6.0, 0.0], 2) == [-1.0, 1.0, 6.0, -6.0]


def test_a_baseline_with_ones_own_reward_in_it_would_be_another():
    rewards_B = torch.tensor([1.0, 2.0, 6.0])
    with_own = (rewards_B - rewards_B.mean()).tolist()
    assert advantages([1.0, 2.0, 6.0], 3) == pytest.approx([3 / 2 * value for value in with_own])
    assert advantages([1.0, 2.0, 6.0], 3) != pytest.approx(with_own, rel=0.1)


def test_two_completions_have_opposite_advantages():
    first, second = advantages([0.3, 1.7], 2)
    assert first == -second == pytest.approx(-1.4)


def test_the_baseline_does_not_depend_on_ones_own_reward_so_that_it_is_unbiased():
    few, many = advantages([1.0, 2.0, 6.0], 3), advantages([100.0, 2.0, 6.0], 3)
    assert many[0] - few[0] == 99.0


def test_advantages_add_up_to_zero_within_a_group():
    assert sum(advantages([0.1, 5.0, -3.0, 0.7], 4)) == pytest.approx(0, abs=1e-6)


def test_unscorable_completions_count_in_no_baseline_and_one_without_company_learns_nothing():
    nan = math.nan
    assert advantages([1.0, nan, 6.0, 2.0], 4) == [1 - 4, 0, 6 - 1.5, 2 - 3.5]
    assert advantages([1.0, nan, nan, nan, 1.0, 3.0], 2) == [0, 0, 0, 0, -2, 2]


def test_a_reward_that_is_nan_is_evidence_and_reaches_the_advantages():
    rewards_B = torch.tensor([math.nan, 1.0])
    found = leave_one_out_advantages(rewards_B, torch.ones(2).bool(), 2, normalize=False)
    assert found.advantages_B.isnan().all()


def test_normalised_advantages_have_mean_0_and_sample_deviation_1_over_what_is_scorable():
    plain = torch.tensor(advantages([1.0, 2.0, 6.0, 0.0], 2))
    expected = (plain - plain.mean()) / (plain.std() + ADVANTAGE_EPSILON)
    assert advantages([1.0, 2.0, 6.0, 0.0], 2, normalize=True) == pytest.approx(expected.tolist())
    with_unscorable = advantages([1.0, 2.0, math.nan, 5.0, 6.0, 0.0], 2, normalize=True)
    assert with_unscorable == pytest.approx([*expected[:2].tolist(), 0, 0, *expected[2:].tolist()])


def test_a_group_with_equal_rewards_has_no_signal():
    found = leave_one_out_advantages(torch.tensor([1.0, 1.0, 1.0, 2.0]), torch.ones(4).bool(), 2, normalize=False)
    assert found.has_signal_B.tolist() == [False, False, True, True]


def test_the_rounding_of_a_kl_is_no_signal_and_a_real_one_is():
    found = leave_one_out_advantages(torch.tensor([1.0, 1 + 3e-7, 1.0, 1 + 1e-5]), torch.ones(4).bool(), 2, False)
    assert found.has_signal_B.tolist() == [False, False, True, True]


def test_the_kl_of_all_tokens_is_taken_off_the_score_and_padding_is_not():
    kl_BT = torch.tensor([[0.5, 1.5], [-1.0, 77.0]])
    rewards_B = penalised_scores(torch.tensor([3.0, 3.0]), kl_BT, MASK_BT, 0.1, None)
    assert rewards_B.tolist() == pytest.approx([3 - 0.2, 3 + 0.1])


def test_the_clip_range_bounds_the_score_and_not_the_kl():
    kl_BT = torch.tensor([[10.0, 10.0], [0.0, 0.0]])
    rewards_B = penalised_scores(torch.tensor([3.0, -7.0]), kl_BT, MASK_BT, 1.0, (-1.0, 1.0))
    assert rewards_B.tolist() == [1 - 20, -1]
    after_the_kl = (torch.tensor([3.0, -7.0]) - torch.tensor([20.0, 0.0])).clamp(-1, 1)
    assert rewards_B.tolist() != after_the_kl.tolist()


def test_without_a_reference_the_score_is_the_reward():
    assert penalised_scores(torch.tensor([3.0]), None, MASK_BT[:1], 0.5, None).tolist() == [3.0]


def loss(logprobs_BT: Tensor, advantages_B: Tensor, mask_BT: Tensor = MASK_BT, completions: int = 2):
    old_BT = torch.zeros_like(logprobs_BT)
    return rloo_loss(logprobs_BT, old_BT, advantages_B, mask_BT, epsilon=0.2, epsilon_high=0.3, completions=completions)


def test_on_policy_the_gradient_is_reinforces_for_every_token_of_a_completion():
    logprobs_BT = torch.zeros(2, 2, requires_grad=True)
    loss(logprobs_BT, torch.tensor([3.0, -5.0])).loss.backward()
    assert logprobs_BT.grad.tolist() == [[-1.5, -1.5], [2.5, 0.0]]


def test_the_ratio_of_a_completion_is_the_product_of_its_tokens_ratios():
    ratio_BT = torch.tensor([[1.1, 1.1], [0.9, 50.0]])
    out = loss(ratio_BT.log(), torch.tensor([1.0, 1.0]))
    assert out.loss.item() == pytest.approx(-(1.21 + 0.9) / 2)
    geometric_mean = -(1.1 + 0.9) / 2
    assert out.loss.item() != pytest.approx(geometric_mean, rel=0.01)


def test_a_clipped_completion_gets_no_gradient_and_is_counted():
    logprobs_BT = torch.tensor([[1.2, 1.2], [0.7, 1.0]]).log().requires_grad_()
    out = loss(logprobs_BT, torch.tensor([1.0, -1.0]))
    out.loss.backward()
    assert logprobs_BT.grad.tolist() == [[0.0, 0.0], [0.0, 0.0]]
    assert out.metrics == {}
    assert {name: value.item() for name, value in out.completion_metrics.items()} == {
        "clip_ratio/low_mean": 0.5,
        "clip_ratio/low_min": 0.0,
        "clip_ratio/high_mean": 0.5,
        "clip_ratio/high_max": 1.0,
        "clip_ratio/region_mean": 1.0,
    }


def test_passes_of_one_completion_add_up_to_one_pass_of_two():
    logprobs_BT, advantages_B = torch.tensor([[0.1, -0.2], [0.05, 0.0]]), torch.tensor([2.0, -1.0])
    passes = [
        loss(logprobs_BT[row : row + 1], advantages_B[row : row + 1], MASK_BT[row : row + 1]).loss.item()
        for row in (0, 1)
    ]
    assert sum(passes) == pytest.approx(loss(logprobs_BT, advantages_B).loss.item())
