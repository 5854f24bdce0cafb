"""The correction for completions that an engine apart from the trainer drew: importance weights, and their metrics.

The engine draws from its own distribution μ, which is not quite the policy π that is trained: its weights are older or
rounded, or it cuts off what is unlikely. Weighted by π / μ, the loss is again that of samples from π. The weights have
no gradient; a bound keeps a few of them from outweighing everything else.

Source: TRL 1.16 `GRPOTrainer`, `vllm_importance_sampling_*`; truncation: Yao et al. 2025 ("Your Efficient RL Framework
Secretly Brings You Off-Policy RL Training"); masking by sequence: Liu et al. 2025 ("When Speed Kills Stability").
Axes: B completions, T tokens, X one column per token (T) or one per completion (1).
"""

import torch
from torch import Tensor


def importance_weights(
    logprobs_BT: Tensor,
    sampling_logprobs_BT: Tensor,
    mask_BT: Tensor,
    mode: str,
    clip_min: float | None,
    clip_max: float | None,
) -> Tensor:
    """(B, X) π / μ: per token, 1 outside the mask, or (B, 1) the product over a completion's tokens ("sequence_…").

    A NaN stays NaN, whereas TRL makes it 1: a log-probability that is not a number is a broken engine here, not one
    that kept it to itself.

    Args:
        logprobs_BT: Under the policy before the step's updates.
        sampling_logprobs_BT: As the engine reports them.
        mode: "…_truncate" cuts a ratio to the bounds, "…_mask" sets one outside of them to 0.
    """
    log_ratio_BX = torch.where(mask_BT, logprobs_BT - sampling_logprobs_BT, 0.0)
    if mode.startswith("sequence"):
        log_ratio_BX = log_ratio_BX.sum(1, keepdim=True)
    ratio_BX = log_ratio_BX.exp()
    if mode.endswith("truncate"):
        return ratio_BX.clamp(clip_min, clip_max)
    is_outside_BX = torch.zeros_like(ratio_BX, dtype=torch.bool)
    if clip_min is not None:
        is_outside_BX |= ratio_BX < clip_min
    if clip_max is not None:
        is_outside_BX |= ratio_BX > clip_max
    return ratio_BX.masked_fill(is_outside_BX, 0.0)


def mismatch_metrics(logprobs_BT: Tensor, sampling_logprobs_BT: Tensor, mask_BT: Tensor) -> dict[str, float]:
    """How far apart the log-probabilities of the drawn tokens are, in nats; names as in TRL."""
    difference_N = (logprobs_BT - sampling_logprobs_BT)[mask_BT].abs()
    return {
        "sampling/sampling_logp_difference/mean": float(difference_N.mean()),
        "sampling/sampling_logp_difference/max": float(difference_N.max()),
    }


def weight_metrics(weights_BX: Tensor, mask_BT: Tensor) -> dict[str, float]:
    """The importance weights after their bounds, over tokens or over completions as they are; names as in TRL."""
    weights_N = weights_BX[mask_BT] if weights_BX.shape == mask_BT.shape else weights_BX.flatten()
    return {
        "sampling/importance_sampling_ratio/min": float(weights_N.min()),
        "sampling/importance_sampling_ratio/mean": float(weights_N.mean()),
        "sampling/importance_sampling_ratio/max": float(weights_N.max()),
    }
