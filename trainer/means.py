"""Statistics over real tokens only, and over the updates of a step: padding never counts.

Axes: B completions, T tokens of a completion. Masks are bool, True on real tokens.
"""

from collections.abc import Mapping, Sequence

import torch
from torch import Tensor


def masked_mean(values_BT: Tensor, mask_BT: Tensor) -> Tensor:
    """Mean over the masked entries; NaN when there are none or one of them is NaN. Masked-out NaNs do not count."""
    return values_BT[mask_BT].mean()


def masked_var(values_BT: Tensor, mask_BT: Tensor) -> Tensor:
    """Population variance (divisor N) over the masked entries."""
    return values_BT[mask_BT].var(correction=0)


def masked_whiten(values_BT: Tensor, mask_BT: Tensor, shift_mean: bool = True) -> Tensor:
    """Scale the masked entries to variance 1 and, unless told otherwise, to mean 0; entries outside the mask become 0.

    Source: TRL `masked_whiten` (ε = 1e-8 under the root).
    """
    mean = masked_mean(values_BT, mask_BT)
    whitened_BT = (values_BT - mean) * torch.rsqrt(masked_var(values_BT, mask_BT) + 1e-8)
    return torch.where(mask_BT, whitened_BT if shift_mean else whitened_BT + mean, 0.0)


def sequence_sums(values_BT: Tensor, mask_BT: Tensor) -> Tensor:
    """(B,) sum over the real tokens of each completion."""
    return torch.where(mask_BT, values_BT, 0.0).sum(1)


def mean_over_updates(updates: Sequence[Mapping[str, Tensor]]) -> dict[str, float]:
    """Each metric over all updates of a step, epochs and mini-batches: the mean; of `…_max` and `…_min` the extreme."""
    return {
        name: float(_joined(name, torch.stack([update[name].detach().cpu() for update in updates])))
        for name in updates[0]
    }


def _joined(name: str, values: Tensor) -> Tensor:
    if name.endswith("_max"):
        return values.max()
    return values.min() if name.endswith("_min") else values.double().mean()
