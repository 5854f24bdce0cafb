"""Statistics over real tokens only, and over the passes and updates of a step: padding never counts.

Axes: B completions, T tokens of a completion. Masks are bool, True on real tokens.
"""

from collections.abc import Mapping, Sequence

import torch
from torch import Tensor


def masked_mean(values_BT: Tensor, mask_BT: Tensor) -> Tensor:
    """Mean over the masked entries; NaN if there are none or one of them is NaN. Masked-out NaNs do not count."""
    return values_BT[mask_BT].mean()


def masked_var(values_BT: Tensor, mask_BT: Tensor) -> Tensor:
    """Population variance (divisor N) over the masked entries."""
    return values_BT[mask_BT].var(correction=0)


def masked_whiten(values_BT: Tensor, mask_BT: Tensor, shift_mean: bool = True) -> Tensor:
    """Scale the masked entries to variance 1 and, by default, shift them to mean 0; entries outside the mask become 0.

    Source: TRL `masked_whiten` (sample variance, divisor N − 1; ε = 1e-8 under the root).
    """
    real_N = values_BT[mask_BT]
    mean, variance = real_N.mean(), real_N.var(correction=min(1, len(real_N) - 1))
    whitened_BT = (values_BT - mean) * torch.rsqrt(variance + 1e-8)
    return torch.where(mask_BT, whitened_BT if shift_mean else whitened_BT + mean, 0.0)


def sequence_sums(values_BT: Tensor, mask_BT: Tensor) -> Tensor:
    """(B,) sum over the real tokens of each completion."""
    return torch.where(mask_BT, values_BT, 0.0).sum(1)


class PassMetrics:
    """The metrics of a step's passes, over all its updates, combined as if they were one pass.

    A mean weights each pass by its real tokens, or by its completions if it is a mean over completions; a `…_max` or
    `…_min` is the extreme, and a `…_var` with a mean of the same name is the variance around the combined mean. TRL
    averages the means of the passes regardless of length.
    """

    def __init__(self) -> None:
        self._token_metrics: tuple[str, ...] = ()
        self._completion_metrics: tuple[str, ...] = ()
        self._rows: list[Tensor] = []

    def add(
        self, metrics: Mapping[str, Tensor], mask_BT: Tensor, completion_metrics: Mapping[str, Tensor] | None = None
    ) -> None:
        """Add one pass.

        Args:
            metrics: Means over its real tokens, as marked by the mask.
            completion_metrics: Means over its completions.
        """
        of_completions = completion_metrics or {}
        self._token_metrics, self._completion_metrics = tuple(metrics), tuple(of_completions)
        weights = [mask_BT.sum(), mask_BT.any(1).sum()]
        values = [*weights, *metrics.values(), *of_completions.values()]
        self._rows.append(torch.stack([value.detach().double() for value in values]))

    def __len__(self) -> int:
        return len(self._rows)

    def sums(self, metric: str, first_pass: int) -> Tensor:
        """(2,) float64 over the passes from this one on: the sum of a per-token metric, and the number of tokens."""
        column = 2 + self._token_metrics.index(metric)
        rows_NM = self.rows()[first_pass:]
        return torch.stack([(rows_NM[:, column] * rows_NM[:, 0]).sum(), rows_NM[:, 0].sum()])

    def rows(self) -> Tensor:
        """(N, 2 + metrics) float64, one row per pass so far: tokens, completions and metrics."""
        return torch.stack(self._rows)

    def combined(self, rows_NM: Tensor) -> dict[str, float]:
        """Each metric over the passes of all processes, given their `rows`; empty if there are no tokens."""
        tokens_N, completions_N, *columns = rows_NM.cpu().unbind(1)
        if not tokens_N.any():
            return {}
        found = dict(zip((*self._token_metrics, *self._completion_metrics), columns, strict=True))
        weights = {name: tokens_N / tokens_N.sum() for name in self._token_metrics}
        weights |= {name: completions_N / completions_N.sum() for name in self._completion_metrics}
        return {name: float(_over_passes(name, found, weights[name])) for name in found}


def _over_passes(name: str, found: Mapping[str, Tensor], weights_N: Tensor) -> Tensor:
    values_N = found[name]
    if name.endswith("_max"):
        return values_N.max()
    if name.endswith("_min"):
        return values_N.min()
    means_N = found.get(name.removesuffix("_var"), values_N)
    if means_N is not values_N:
        values_N = values_N + (means_N - (weights_N * means_N).sum()) ** 2
    return (weights_N * values_N).sum()


def mean_over_updates(updates: Sequence[Mapping[str, Tensor]]) -> dict[str, float]:
    """Each metric over all updates of a step (epochs and mini-batches): the mean; for `…_max`, `…_min` the extreme."""
    return {
        name: float(_joined(name, torch.stack([update[name].detach().cpu() for update in updates])))
        for name in updates[0]
    }


def _joined(name: str, values: Tensor) -> Tensor:
    if name.endswith("_max"):
        return values.max()
    return values.min() if name.endswith("_min") else values.double().mean()
