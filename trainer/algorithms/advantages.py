"""Advantages: generalised advantage estimation for PPO, group comparison for GRPO and RLOO.

Axes: B completions, T tokens, G completions of one prompt (consecutive rows).
"""

from collections.abc import Sequence
from typing import NamedTuple

import torch
from torch import Tensor

from trainer.algorithms.means import sequence_sums

ROUNDING = 1e-6
"""Reward deviations up to this come from the KL of a policy that still equals its reference: rounding, not a signal."""
ADVANTAGE_EPSILON = 1e-4
"""TRL's: keeps groups with almost equal rewards from exploding."""


class Returns(NamedTuple):
    """What PPO learns from: advantages_BT for the policy, returns_BT for the value model; 0 outside the mask."""

    advantages_BT: Tensor
    returns_BT: Tensor


class GroupAdvantages(NamedTuple):
    """advantages_B, and has_signal_B: whether rewards differed in the completion's group (or batch, as scaled)."""

    advantages_B: Tensor
    has_signal_B: Tensor


def token_rewards(scores_B: Tensor, kl_BT: Tensor, mask_BT: Tensor, kl_coef: float) -> Tensor:
    """(B, T) PPO's rewards: minus the KL penalty at each real token, plus the score at the last one.

    Source: Ouyang et al. 2022, section 3.5 (KL penalty per token). A completion has at least one real token.
    """
    rewards_BT = torch.where(mask_BT, -kl_coef * kl_BT, 0.0)
    last_B1 = mask_BT.sum(1, keepdim=True) - 1
    return rewards_BT.scatter_add(1, last_B1, scores_B.unsqueeze(1))


def gae(rewards_BT: Tensor, values_BT: Tensor, mask_BT: Tensor, gamma: float, lam: float) -> Returns:
    """Generalised advantage estimation; the value after a completion's last token is 0.

    A_t = δ_t + γλ·A_{t+1} with δ_t = r_t + γ·V_{t+1} − V_t; returns are A + V. Source: Schulman et al. 2016, eq. 16.
    """
    values_BT = torch.where(mask_BT, values_BT, 0.0)
    advantages_BT = torch.zeros_like(rewards_BT)
    advantage_B = next_value_B = torch.zeros_like(rewards_BT[:, 0])
    for t in reversed(range(rewards_BT.shape[1])):
        delta_B = rewards_BT[:, t] + gamma * next_value_B - values_BT[:, t]
        advantage_B = torch.where(mask_BT[:, t], delta_B + gamma * lam * advantage_B, 0.0)
        advantages_BT[:, t] = advantage_B
        next_value_B = values_BT[:, t]
    return Returns(advantages_BT, torch.where(mask_BT, advantages_BT + values_BT, 0.0))


def group_advantages(rewards_B: Tensor, scorable_B: Tensor, group_size: int, scale: str) -> GroupAdvantages:
    """A completion's reward minus its group's mean, in standard deviations of the group or batch, or unscaled ("none").

    Unscorable completions (no reward function gave a number) are left out of every mean and get advantage 0.

    Source: Shao et al. 2024 (DeepSeekMath), section 4.1; `scale` "none" is Liu et al. 2025 (Dr. GRPO).
    """
    scorable_PG = scorable_B.view(-1, group_size)
    rewards_PG = rewards_B.view(-1, group_size)
    mean_P1 = _mean(rewards_PG, scorable_PG)
    std_PG = _std(rewards_PG, scorable_PG, mean_P1).expand_as(rewards_PG)
    if scale == "batch":
        std_PG = _std(
            rewards_B.view(1, -1), scorable_B.view(1, -1), _mean(rewards_B.view(1, -1), scorable_B.view(1, -1))
        )
        std_PG = std_PG.expand_as(rewards_PG)
    centred_PG = torch.where(scorable_PG, rewards_PG - mean_P1, 0.0)
    advantages_PG = centred_PG if scale == "none" else centred_PG / (std_PG + ADVANTAGE_EPSILON)
    return GroupAdvantages(advantages_PG.flatten(), ~torch.isclose(std_PG, torch.zeros_like(std_PG)).flatten())


def penalised_scores(
    scores_B: Tensor, kl_BT: Tensor | None, mask_BT: Tensor, beta: float, clip_range: Sequence[float] | None
) -> Tensor:
    """(B,) RLOO's reward: the score, clipped to the range, minus beta times the KL summed over the tokens.

    Source: Ahmadian et al. 2024, eq. 2; the clip range, which does not affect the KL, is TRL's `reward_clip_range`.

    Args:
        kl_BT: None without a reference.
    """
    if clip_range is not None:
        low, high = clip_range
        scores_B = scores_B.clamp(low, high)
    return scores_B if kl_BT is None else scores_B - beta * sequence_sums(kl_BT, mask_BT)


def leave_one_out_advantages(
    rewards_B: Tensor, scorable_B: Tensor, group_size: int, normalize: bool
) -> GroupAdvantages:
    """A completion's reward minus the mean of the others in its group, an unbiased baseline.

    Unscorable completions are left out of every mean and get advantage 0, as does one with no other scorable one in its
    group.

    Source: Kool et al. 2019 ("Buy 4 REINFORCE Samples, Get a Baseline for Free!"); Ahmadian et al. 2024, eq. 8.

    Args:
        normalize: Scale all advantages together to mean 0 and deviation 1, as TRL's `normalize_advantages`.
    """
    rewards_PG, scorable_PG = rewards_B.view(-1, group_size), scorable_B.view(-1, group_size)
    real_PG = torch.where(scorable_PG, rewards_PG, 0.0)
    others_P1 = scorable_PG.sum(1, keepdim=True) - 1
    baseline_PG = (real_PG.sum(1, keepdim=True) - real_PG) / others_P1.clamp(min=1)
    compared_PG = scorable_PG & (others_P1 > 0)
    advantages_PG = torch.where(compared_PG, rewards_PG - baseline_PG, 0.0)
    if normalize and compared_PG.any():
        compared_N = advantages_PG[compared_PG]
        scaled_PG = (advantages_PG - compared_N.mean()) / (compared_N.std() + ADVANTAGE_EPSILON)
        advantages_PG = torch.where(compared_PG, scaled_PG, 0.0)
    std_PG = _std(rewards_PG, scorable_PG, _mean(rewards_PG, scorable_PG)).expand_as(rewards_PG)
    return GroupAdvantages(advantages_PG.flatten(), ~(std_PG <= ROUNDING).flatten())


def _mean(values_PG: Tensor, mask_PG: Tensor) -> Tensor:
    return torch.where(mask_PG, values_PG, 0.0).sum(1, keepdim=True) / mask_PG.sum(1, keepdim=True).clamp(min=1)


def _std(values_PG: Tensor, mask_PG: Tensor, mean_P1: Tensor) -> Tensor:
    """Sample standard deviation (divisor n − 1), 0 for fewer than two entries."""
    squares_P1 = torch.where(mask_PG, (values_PG - mean_P1) ** 2, 0.0).sum(1, keepdim=True)
    return (squares_P1 / (mask_PG.sum(1, keepdim=True) - 1).clamp(min=1)).sqrt()
