"""Records an optimizer's updates on either side: the gradients it received and the resulting parameters.

Axis: N every element of every parameter, in the order of the optimizer's (or the given) parameters.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor
from torch.optim.optimizer import register_optimizer_step_post_hook, register_optimizer_step_pre_hook


class UpdateTape:
    """Gradients of the first update; parameters before it, after it and after the last one."""

    def __init__(self, parameters: Sequence[Tensor] | None = None) -> None:
        self._parameters = parameters
        self.updates = 0
        self.arrays: dict[str, np.ndarray] = {}

    @contextmanager
    def recording(self) -> Iterator[None]:
        """Record every optimizer step inside the context."""
        handles = [
            register_optimizer_step_pre_hook(self._before_step),
            register_optimizer_step_post_hook(self._after_step),
        ]
        try:
            yield
        finally:
            for handle in handles:
                handle.remove()

    def save(self, path: Path) -> None:
        """Write the recording as an npz file."""
        np.savez(path, updates=self.updates, **self.arrays)

    def _before_step(self, optimizer: Any, args: Any, kwargs: Any) -> None:
        self.updates += 1
        if self.updates == 1:
            gradients = [torch.zeros_like(p) if p.grad is None else p.grad for p in self._order(optimizer)]
            self.arrays["first_gradients_N"] = _flat(gradients)
            self.arrays["start_parameters_N"] = _flat(self._order(optimizer))

    def _after_step(self, optimizer: Any, args: Any, kwargs: Any) -> None:
        parameters_N = _flat(self._order(optimizer))
        self.arrays.setdefault("first_parameters_N", parameters_N)
        self.arrays["last_parameters_N"] = parameters_N

    def _order(self, optimizer: torch.optim.Optimizer) -> Sequence[Tensor]:
        if self._parameters is None:
            self._parameters = [p for group in optimizer.param_groups for p in group["params"]]
        return self._parameters


def _flat(tensors: Sequence[Tensor]) -> np.ndarray:
    return torch.cat([tensor.detach().flatten() for tensor in tensors]).clone().numpy()
