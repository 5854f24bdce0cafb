"""The state of a training that is split over processes, in a checkpoint.

What FSDP splits is brought together, and split again: such a checkpoint looks the same however many processes share a
model. What DeepSpeed splits, DeepSpeed alone can write and read: each process its own part, in a folder of DeepSpeed's.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from torch import Tensor
from torch.distributed.tensor import DTensor, distribute_tensor
from torch.optim import Optimizer

from trainer.config.options import ConfigError

ENGINE_FOLDER = "deepspeed"
"""Of a checkpoint, with what DeepSpeed holds: weights, and the optimizer's copies and moments of them."""


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


def save_engine(engine: Any, checkpoint: Path) -> None:
    """Write what DeepSpeed's engine holds; every process must call it, and returns when all have written."""
    engine.save_checkpoint(str(checkpoint), tag=ENGINE_FOLDER, save_latest=False, exclude_frozen_parameters=True)


def restore_engine(engine: Any, checkpoint: Path) -> None:
    """Put back what `save_engine` wrote, with as many processes; the files are DeepSpeed's own, which unpickles them.

    Raises:
        ConfigError: A part is missing.
    """
    path, _ = engine.load_checkpoint(
        str(checkpoint), tag=ENGINE_FOLDER, load_module_strict=False, load_lr_scheduler_states=False
    )
    if path is None:
        raise ConfigError(f"DeepSpeed finds nothing to go on from in {checkpoint / ENGINE_FOLDER}")
