"""The losses of PPO, GRPO and RLOO: pure functions of log-probabilities, advantages and masks, with their metrics.

A loss is one pass's share of its update's loss: a sum over the pass, divided by the total over all passes and processes
of the update. So 1 × 8 and 8 × 1 completions, or one process and two, give the same update. The metrics are those of
the pass alone; `trainer.algorithms.means` combines them over passes and processes.

Axes: B completions, T tokens, X one column per token (T) or one per completion (1).
"""

from collections.abc import Mapping
from typing import NamedTuple

import torch
from torch import Tensor

from trainer.algorithms.kl import k3
from trainer.algorithms.means import masked_mean, masked_var, sequence_sums


class LossOut(NamedTuple):
    """A scalar loss to minimise, and detached scalars under their logged names."""

    loss: Tensor
    metrics: Mapping[str, Tensor]
    """Means over the real tokens of the pass."""
    completion_metrics: Mapping[str, Tensor] = {}
    """Means over the completions of the pass."""

    def with_metrics(self, **token_metrics: Tensor) -> "LossOut":
        """The same loss with additional means over the real tokens."""
        return self._replace(metrics={**self.metrics, **token_metrics})


def ppo_policy_loss(
    logprobs_BT: Tensor,
    old_logprobs_BT: Tensor,
    advantages_BT: Tensor,
    mask_BT: Tensor,
    cliprange: float,
    update_tokens: Tensor | None = None,
) -> LossOut:
    """PPO's clipped surrogate. Source: Schulman et al. 2017, eq. 7.

    `update_tokens` counts the real tokens of the whole mini-batch; None if this pass is all of it. TRL 1.12 divides by
    the tokens of the pass instead, so its update depends on how a mini-batch is split into passes.
    `policy/clipfrac_avg` is the share of tokens whose clipped loss is larger, so that the clip is active.
    `val/ratio_var` is the variance over tokens: it is defined for a single micro-batch too, whereas TRL's, over the
    means of micro-batches, is NaN.
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
    """How `aggregate` reduces token losses to one number: the type, and the update's totals over all its passes."""

    loss_type: str
    max_completion_length: int
    completions: int
    tokens: int
    """Number of real tokens."""


def aggregate(losses_BT: Tensor, mask_BT: Tensor, average: TokenAverage) -> Tensor:
    """One loss from token losses; summed over the passes of an update it is:

    - "grpo": the mean over completions of their token means (long completions count less per token),
    - "dr_grpo": the sum over tokens, divided by completions × max_completion_length,
    - "dapo", "bnpo" and "cispo": the mean over all tokens of the update. TRL's "bnpo" is the mean over passes of their
      token means, which depends on how an update is split into passes; here it does not, so it is the same as "dapo".

    Source: TRL 1.16 `GRPOTrainer`; Liu et al. 2025 (Dr. GRPO); Yu et al. 2025 (DAPO).
    """
    sums_B = sequence_sums(losses_BT, mask_BT)
    match average.loss_type:
        case "grpo":
            return (sums_B / mask_BT.sum(1)).sum() / average.completions
        case "dr_grpo":
            return sums_B.sum() / (average.completions * average.max_completion_length)
        case "dapo" | "bnpo" | "cispo":
            return sums_B.sum() / average.tokens
    raise ValueError(f"loss_type {average.loss_type!r} is not grpo, bnpo, dr_grpo, dapo or cispo")


def importance_ratios(logprobs_BT: Tensor, old_logprobs_BT: Tensor, mask_BT: Tensor, level: str) -> Tensor:
    """π / π_old: (B, T) per token, or (B, 1) the geometric mean over a completion's tokens ("sequence").

    Source of the latter: Zheng et al. 2025 (GSPO, arXiv 2507.18071), eq. 7.
    """
    log_ratio_BT = logprobs_BT - old_logprobs_BT
    if level == "token":
        return log_ratio_BT.exp()
    return (sequence_sums(log_ratio_BT, mask_BT) / mask_BT.sum(1)).exp().unsqueeze(1)


def grpo_loss(
    logprobs_BT: Tensor,
    old_logprobs_BT: Tensor,
    advantages_BT: Tensor,
    mask_BT: Tensor,
    *,
    epsilon: float,
    epsilon_high: float,
    average: TokenAverage,
    importance_sampling_level: str = "token",
    importance_weights_BX: Tensor | None = None,
    ref_logprobs_BT: Tensor | None = None,
    beta: float = 0.0,
    use_bias_correction_kl: bool = False,
) -> LossOut:
    """GRPO's policy loss plus beta times the k3 estimate of the KL to the reference.

    The policy loss is the clipped surrogate of Shao et al. 2024 (DeepSeekMath), eq. 3; with loss_type "cispo" it is
    the policy gradient with a bounded importance weight, `cispo_losses`.

    As a loss, k3 (eq. 4) has the gradient of KL(reference ‖ policy); multiplied by the ratio it has the gradient of
    KL(policy ‖ reference) (the unbiased estimate of DeepSeek-V3.2; TRL's default since 1.10), and `kl` is logged so.

    Args:
        advantages_BT: The same number for all tokens of a completion.
        importance_sampling_level: See `importance_ratios`.
        importance_weights_BX: Weights of the policy loss, not of the KL, for completions that another engine drew.
    """
    ratio_BX = importance_ratios(logprobs_BT, old_logprobs_BT, mask_BT, importance_sampling_level)
    advantages_BX = advantages_BT[:, : ratio_BX.shape[1]]
    is_per_token = importance_sampling_level == "token"
    mask_BX = mask_BT if is_per_token else mask_BT.any(1, keepdim=True)
    if average.loss_type == "cispo":
        losses_BT = cispo_losses(logprobs_BT, ratio_BX, advantages_BX, epsilon_high)
        clipped_BX = (ratio_BX > epsilon_high) & (advantages_BX > 0)
        clipping = {"cispo_clip_ratio": masked_mean(clipped_BX.float(), mask_BX)}
    else:
        losses_BT = clipped_surrogate(ratio_BX, advantages_BX, epsilon, epsilon_high).expand_as(mask_BT)
        clipping = clip_metrics(ratio_BX, advantages_BX, mask_BX, epsilon, epsilon_high)
    if importance_weights_BX is not None:
        losses_BT = losses_BT * importance_weights_BX
    kl_metrics = {}
    if ref_logprobs_BT is not None:
        kl_BT = k3(logprobs_BT, ref_logprobs_BT) * (ratio_BX if use_bias_correction_kl else 1.0)
        losses_BT = losses_BT + beta * kl_BT
        kl_metrics = {"kl": masked_mean(kl_BT.detach(), mask_BT)}
    loss = aggregate(losses_BT, mask_BT, average)
    return LossOut(loss, {**clipping, **kl_metrics}) if is_per_token else LossOut(loss, kl_metrics, clipping)


def rloo_loss(
    logprobs_BT: Tensor,
    old_logprobs_BT: Tensor,
    advantages_B: Tensor,
    mask_BT: Tensor,
    *,
    epsilon: float,
    epsilon_high: float,
    completions: int,
) -> LossOut:
    """RLOO's policy loss: a completion is one action, so its ratio is the product of its tokens' ratios.

    On policy its gradient is REINFORCE's, −A · ∇ log π(completion). Source: Ahmadian et al. 2024 ("Back to Basics",
    arXiv 2402.14740), section 3; the clip, which matters from a step's second update on, is TRL's.

    Args:
        completions: Number of completions in the whole update, over all passes and processes.
    """
    ratio_B1 = sequence_sums(logprobs_BT - old_logprobs_BT, mask_BT).exp().unsqueeze(1)
    advantages_B1 = advantages_B.unsqueeze(1)
    losses_B1 = clipped_surrogate(ratio_B1, advantages_B1, epsilon, epsilon_high)
    clipping = clip_metrics(ratio_B1, advantages_B1, mask_BT.any(1, keepdim=True), epsilon, epsilon_high)
    return LossOut(losses_B1.sum() / completions, {}, clipping)


def clipped_surrogate(ratio_BX: Tensor, advantages_BX: Tensor, epsilon: float, epsilon_high: float) -> Tensor:
    """(B, X) −min(r·A, clip(r, 1 − epsilon, 1 + epsilon_high)·A). Source: Schulman et al. 2017 (PPO), eq. 7."""
    clipped_BX = ratio_BX.clamp(1 - epsilon, 1 + epsilon_high)
    return -torch.min(ratio_BX * advantages_BX, clipped_BX * advantages_BX)


def cispo_losses(logprobs_BT: Tensor, ratio_BX: Tensor, advantages_BX: Tensor, largest_weight: float) -> Tensor:
    """(B, T) −min(r, largest_weight)·A·log π, with no gradient through the weight, so every token keeps its gradient.

    Source: MiniMax-M1 (arXiv 2506.13585), eq. 4 and 5, without a lower bound; as in TRL, `epsilon_high` is the largest
    weight itself, not its distance from 1.
    """
    weight_BX = ratio_BX.clamp(max=largest_weight).detach()
    return -weight_BX * advantages_BX * logprobs_BT


def clip_metrics(
    ratio_BX: Tensor, advantages_BX: Tensor, mask_BX: Tensor, epsilon: float, epsilon_high: float
) -> dict[str, Tensor]:
    """How often the clip is active, as TRL 1.16 logs it.

    `clip_ratio/low_*` counts ratios below 1 − epsilon with a negative advantage, `clip_ratio/high_*` those above 1 +
    epsilon_high with a positive one; the extremes are over completions.
    """
    low_BX = (ratio_BX < 1 - epsilon) & (advantages_BX < 0)
    high_BX = (ratio_BX > 1 + epsilon_high) & (advantages_BX > 0)
    counts_B = mask_BX.sum(1)
    return {
        "clip_ratio/low_mean": masked_mean(low_BX.float(), mask_BX),
        "clip_ratio/low_min": (sequence_sums(low_BX.float(), mask_BX) / counts_B).min(),
        "clip_ratio/high_mean": masked_mean(high_BX.float(), mask_BX),
        "clip_ratio/high_max": (sequence_sums(high_BX.float(), mask_BX) / counts_B).max(),
        "clip_ratio/region_mean": masked_mean((low_BX | high_BX).float(), mask_BX),
    }
