"""The losses of PPO and GRPO: pure functions of log-probabilities, advantages and masks, with the metrics they log.

A loss is the share of one pass in the loss of its update: a sum over the pass's tokens, divided by what the whole
update holds over all its passes and processes. So 1 × 8 and 8 × 1 completions, or one process and two, are the same.
The metrics are those of the pass alone; `trainer.algorithms.means` joins them over passes and processes.
Axes: B completions, T tokens. Metrics are named as they are logged; every mean is over real tokens.
"""

from collections.abc import Mapping
from typing import NamedTuple

import torch
from torch import Tensor

from trainer.algorithms.kl import k3
from trainer.algorithms.means import masked_mean, masked_var, sequence_sums


class LossOut(NamedTuple):
    """A scalar loss to minimise and the detached scalars to log."""

    loss: Tensor
    metrics: Mapping[str, Tensor]


def ppo_policy_loss(
    logprobs_BT: Tensor,
    old_logprobs_BT: Tensor,
    advantages_BT: Tensor,
    mask_BT: Tensor,
    cliprange: float,
    update_tokens: Tensor | None = None,
) -> LossOut:
    """PPO's clipped surrogate. Source: Schulman et al. 2017, eq. 7.

    `update_tokens` counts the real tokens of the whole mini-batch; None where this pass is all of it. TRL 1.12 divides
    by the tokens of the pass instead, so that its update depends on how a mini-batch is split into passes.
    `policy/clipfrac_avg` is the share of tokens whose clipped loss is the larger one, so that the clip decides.
    `val/ratio_var` is the variance over tokens: it exists for one micro-batch too, where TRL's, over the means of
    micro-batches, is NaN.
    """
    log_ratio_BT = logprobs_BT - old_logprobs_BT
    ratio_BT = log_ratio_BT.exp()
    unclipped_BT = -advantages_BT * ratio_BT
    clipped_BT = -advantages_BT * ratio_BT.clamp(1 - cliprange, 1 + cliprange)
    losses_BT = torch.max(unclipped_BT, clipped_BT)
    ratio_BT = ratio_BT.detach()
    metrics = {
        "loss/policy_avg": masked_mean(losses_BT.detach(), mask_BT),
        "policy/approxkl_avg": 0.5 * masked_mean(log_ratio_BT.detach() ** 2, mask_BT),
        "policy/policykl_avg": -masked_mean(log_ratio_BT.detach(), mask_BT),
        "policy/clipfrac_avg": masked_mean((clipped_BT > unclipped_BT).float(), mask_BT),
        "val/ratio": masked_mean(ratio_BT, mask_BT),
        "val/ratio_var": masked_var(ratio_BT, mask_BT),
        "val/ratio_max": ratio_BT[mask_BT].max(),
    }
    return LossOut(_share(losses_BT, mask_BT, update_tokens), metrics)


def ppo_value_loss(
    values_BT: Tensor,
    old_values_BT: Tensor,
    returns_BT: Tensor,
    mask_BT: Tensor,
    cliprange_value: float,
    update_tokens: Tensor | None = None,
) -> LossOut:
    """Half the squared error of the values, the larger of plain and clipped. Source: OpenAI baselines' ppo2.

    `update_tokens` as in `ppo_policy_loss`.
    """
    clipped_BT = values_BT.clamp(old_values_BT - cliprange_value, old_values_BT + cliprange_value)
    error_BT = (values_BT - returns_BT) ** 2
    clipped_error_BT = (clipped_BT - returns_BT) ** 2
    losses_BT = 0.5 * torch.max(error_BT, clipped_error_BT)
    metrics = {
        "loss/value_avg": masked_mean(losses_BT.detach(), mask_BT),
        "val/clipfrac_avg": masked_mean((clipped_error_BT > error_BT).float(), mask_BT),
    }
    return LossOut(_share(losses_BT, mask_BT, update_tokens), metrics)


def _share(losses_BT: Tensor, mask_BT: Tensor, update_tokens: Tensor | None) -> Tensor:
    return losses_BT[mask_BT].sum() / (mask_BT.sum() if update_tokens is None else update_tokens)


class TokenAverage(NamedTuple):
    """How `aggregate` turns token losses into one number: the type, and what the update holds over all its passes."""

    loss_type: str
    max_completion_length: int
    completions: int
    tokens: int
    """Real ones."""


def aggregate(losses_BT: Tensor, mask_BT: Tensor, average: TokenAverage) -> Tensor:
    """One loss from token losses; summed over the passes of an update it is:

    - "grpo": the mean over completions of their token means (long completions count less per token),
    - "dr_grpo": the sum over tokens, divided by completions × max_completion_length,
    - "dapo" and "bnpo": the mean over all tokens of the update. TRL's "bnpo" is the mean over passes of their token
      means, which depends on how an update is split into passes; here it does not, so the two are one.

    Source: TRL 1.16 `GRPOTrainer`; Liu et al. 2025 (Dr. GRPO); Yu et al. 2025 (DAPO).
    """
    sums_B = sequence_sums(losses_BT, mask_BT)
    match average.loss_type:
        case "grpo":
            return (sums_B / mask_BT.sum(1)).sum() / average.completions
        case "dr_grpo":
            return sums_B.sum() / (average.completions * average.max_completion_length)
        case "dapo" | "bnpo":
            return sums_B.sum() / average.tokens
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
    use_bias_correction_kl: bool = False,
) -> LossOut:
    """GRPO's clipped surrogate plus beta times the k3 estimate of the KL to the reference.

    As a loss, k3 has the gradient of KL(reference ‖ policy); times the ratio it has that of KL(policy ‖ reference)
    (the unbiased estimate of DeepSeek-V3.2; TRL's default since 1.10), and `kl` is logged so.
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
        kl_BT = k3(logprobs_BT, ref_logprobs_BT) * (ratio_BT if use_bias_correction_kl else 1.0)
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
