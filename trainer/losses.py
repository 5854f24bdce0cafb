"""The losses of PPO and GRPO: pure functions of log-probabilities, advantages and masks, with the metrics they log.

Axes: B completions, T tokens. Metrics are named as they are logged; every mean is over real tokens.
"""

from collections.abc import Mapping
from typing import NamedTuple

import torch
from torch import Tensor

from trainer.kl import k3
from trainer.means import masked_mean, masked_var, sequence_sums


class LossOut(NamedTuple):
    """A scalar loss to minimise and the detached scalars to log."""

    loss: Tensor
    metrics: Mapping[str, Tensor]


def ppo_policy_loss(
    logprobs_BT: Tensor, old_logprobs_BT: Tensor, advantages_BT: Tensor, mask_BT: Tensor, cliprange: float
) -> LossOut:
    """PPO's clipped surrogate. Source: Schulman et al. 2017, eq. 7.

    `policy/clipfrac_avg` is the share of tokens whose clipped loss is the larger one, so that the clip decides.
    `val/ratio_var` is the variance over tokens: it exists for one micro-batch too, where TRL's, over the means of
    micro-batches, is NaN.
    """
    log_ratio_BT = logprobs_BT - old_logprobs_BT
    ratio_BT = log_ratio_BT.exp()
    unclipped_BT = -advantages_BT * ratio_BT
    clipped_BT = -advantages_BT * ratio_BT.clamp(1 - cliprange, 1 + cliprange)
    loss = masked_mean(torch.max(unclipped_BT, clipped_BT), mask_BT)
    ratio_BT = ratio_BT.detach()
    metrics = {
        "loss/policy_avg": loss.detach(),
        "policy/approxkl_avg": 0.5 * masked_mean(log_ratio_BT.detach() ** 2, mask_BT),
        "policy/clipfrac_avg": masked_mean((clipped_BT > unclipped_BT).float(), mask_BT),
        "val/ratio": masked_mean(ratio_BT, mask_BT),
        "val/ratio_var": masked_var(ratio_BT, mask_BT),
        "val/ratio_max": ratio_BT[mask_BT].max(),
    }
    return LossOut(loss, metrics)


def ppo_value_loss(
    values_BT: Tensor, old_values_BT: Tensor, returns_BT: Tensor, mask_BT: Tensor, cliprange_value: float
) -> LossOut:
    """Half the squared error of the values, the larger of plain and clipped. Source: OpenAI baselines' ppo2."""
    clipped_BT = old_values_BT + (values_BT - old_values_BT).clamp(-cliprange_value, cliprange_value)
    error_BT = (values_BT - returns_BT) ** 2
    clipped_error_BT = (clipped_BT - returns_BT) ** 2
    loss = 0.5 * masked_mean(torch.max(error_BT, clipped_error_BT), mask_BT)
    clipfrac = masked_mean((clipped_error_BT > error_BT).float(), mask_BT)
    return LossOut(loss, {"loss/value_avg": loss.detach(), "val/clipfrac_avg": clipfrac})


class TokenAverage(NamedTuple):
    """How `aggregate` turns token losses into one number; the pass is one of `passes` whose gradients are added up."""

    loss_type: str
    max_completion_length: int
    step_tokens: int
    """Real tokens of all passes of the update."""
    passes: int = 1


def aggregate(losses_BT: Tensor, mask_BT: Tensor, average: TokenAverage) -> Tensor:
    """One loss from token losses; summed over the passes of an update it is:

    - "grpo": the mean over completions of their token means (long completions count less per token),
    - "bnpo": the mean over passes of their token means,
    - "dr_grpo": the sum over tokens, divided by completions × max_completion_length,
    - "dapo": the mean over all tokens of the update.

    Source: TRL 1.16 `GRPOTrainer`; Liu et al. 2025 (Dr. GRPO); Yu et al. 2025 (DAPO).
    """
    sums_B = sequence_sums(losses_BT, mask_BT)
    match average.loss_type:
        case "grpo":
            return (sums_B / mask_BT.sum(1)).mean() / average.passes
        case "bnpo":
            return sums_B.sum() / mask_BT.sum() / average.passes
        case "dr_grpo":
            return sums_B.sum() / (len(sums_B) * average.max_completion_length) / average.passes
        case "dapo":
            return sums_B.sum() / average.step_tokens
    raise ValueError(f"loss_type {average.loss_type!r} is not grpo, bnpo, dr_grpo or dapo")


def grpo_loss(
    logprobs_BT: Tensor,
    old_logprobs_BT: Tensor,
    advantages_BT: Tensor,
    mask_BT: Tensor,
    *,
    epsilon: float,
    epsilon_high: float,
    average: TokenAverage,
    ref_logprobs_BT: Tensor | None = None,
    beta: float = 0.0,
) -> LossOut:
    """GRPO's clipped surrogate plus beta times the k3 estimate of the KL to the reference.

    Source: Shao et al. 2024 (DeepSeekMath), eq. 3 and 4; clip metrics as in TRL 1.16: `clip_ratio/low_*` counts ratios
    below 1 − epsilon with a negative advantage, `clip_ratio/high_*` those above 1 + epsilon_high with a positive one.
    """
    ratio_BT = (logprobs_BT - old_logprobs_BT).exp()
    clipped_BT = ratio_BT.clamp(1 - epsilon, 1 + epsilon_high)
    losses_BT = -torch.min(ratio_BT * advantages_BT, clipped_BT * advantages_BT)
    low_BT = (ratio_BT < 1 - epsilon) & (advantages_BT < 0)
    high_BT = (ratio_BT > 1 + epsilon_high) & (advantages_BT > 0)
    metrics = _clip_metrics(low_BT, high_BT, mask_BT)
    if ref_logprobs_BT is not None:
        kl_BT = k3(logprobs_BT, ref_logprobs_BT)
        losses_BT = losses_BT + beta * kl_BT
        metrics["kl"] = masked_mean(kl_BT.detach(), mask_BT)
    return LossOut(aggregate(losses_BT, mask_BT, average), metrics)


def _clip_metrics(low_BT: Tensor, high_BT: Tensor, mask_BT: Tensor) -> dict[str, Tensor]:
    lengths_B = mask_BT.sum(1)
    return {
        "clip_ratio/low_mean": masked_mean(low_BT.float(), mask_BT),
        "clip_ratio/low_min": (sequence_sums(low_BT.float(), mask_BT) / lengths_B).min(),
        "clip_ratio/high_mean": masked_mean(high_BT.float(), mask_BT),
        "clip_ratio/high_max": (sequence_sums(high_BT.float(), mask_BT) / lengths_B).max(),
        "clip_ratio/region_mean": masked_mean((low_BT | high_BT).float(), mask_BT),
    }
