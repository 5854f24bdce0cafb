"""The state of a training that FSDP splits, as that of a whole one: brought together for a checkpoint, and split again.

So a checkpoint looks the same however many processes share a model. What DeepSpeed splits, DeepSpeed alone can write.
"""

from collections.abc import Mapping
from typing import Any

from torch import Tensor
from torch.distributed.tensor import DTensor, distribute_tensor
from torch.optim import Optimizer


def whole_state(state: Any, is_kept: bool) -> Any:
    """Plain data with its split tensors whole and on the CPU where `is_kept`, and without them elsewhere.

    Every process must call it, and the tensors come together one by one, so that no device holds all of them.
    """
    if isinstance(state, DTensor):
        tensor = state.full_tensor()
        return tensor.cpu() if is_kept else None
    if isinstance(state, Mapping):
        return {key: whole_state(value, is_kept) for key, value in state.items()}
    if isinstance(state, list | tuple):
        return type(state)(whole_state(value, is_kept) for value in state)
    return state


def split_like(parameter: Tensor, whole: Tensor) -> Tensor:
    """A whole tensor, split over the processes where this parameter is."""
    if not isinstance(parameter, DTensor):
        return whole
    return distribute_tensor(whole.to(parameter.device), parameter.device_mesh, parameter.placements)


def split_again(optimizer: Optimizer) -> None:
    """Split the moments, which are whole after `load_state_dict`, as their parameters are."""
    for parameter, held in optimizer.state.items():
        held.update({name: split_like(parameter, value) for name, value in held.items() if name != "step"})


def weights_below(weights: Mapping[str, Tensor], module: str) -> dict[str, Tensor]:
    """The weights of one module among those of a larger one, by its own names for them; "" is the larger one itself."""
    prefix = f"{module}." if module else ""
    return {name.removeprefix(prefix): value for name, value in weights.items() if name.startswith(prefix)}
