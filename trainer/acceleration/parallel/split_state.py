"""Checkpoints of sharded training state.

FSDP's shards are gathered on saving and sharded again on loading, so a checkpoint is the same for any number of
processes. DeepSpeed's shards can only be written and read by DeepSpeed: each process its own, in DeepSpeed's folder.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from torch import Tensor
from torch.distributed.tensor import DTensor, distribute_tensor
from torch.optim import Optimizer

from diagnostics.told import told
from trainer.config.options import ConfigError
from trainer.launch.resuming import ENGINE_FOLDER


def whole_state(state: Any, is_kept: bool) -> Any:
    """Gather the sharded tensors of plain data: whole and on the CPU where `is_kept`, None on the other processes.

    Every process must call it; tensors are gathered one by one, so that no device needs room for all of them.
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
    """A whole tensor, sharded over the processes if this parameter is."""
    if not isinstance(parameter, DTensor):
        return whole
    return distribute_tensor(whole.to(parameter.device), parameter.device_mesh, parameter.placements)


def split_again(optimizer: Optimizer) -> None:
    """Shard the optimizer moments like their parameters; `load_state_dict` leaves them whole."""
    for parameter, held in optimizer.state.items():
        held.update({name: split_like(parameter, value) for name, value in held.items() if name != "step"})


def weights_below(weights: Mapping[str, Tensor], module: str) -> dict[str, Tensor]:
    """The weights of one submodule, under its own names for them; "" is the whole module."""
    prefix = f"{module}." if module else ""
    return {name.removeprefix(prefix): value for name, value in weights.items() if name.startswith(prefix)}


def save_engine(engine: Any, checkpoint: Path) -> None:
    """Write the state of DeepSpeed's engine; every process must call it, and it returns when all have written."""
    engine.save_checkpoint(str(checkpoint), tag=ENGINE_FOLDER, save_latest=False, exclude_frozen_parameters=True)


def restore_engine(engine: Any, checkpoint: Path) -> None:
    """Restore what `save_engine` wrote, with the same number of processes; DeepSpeed unpickles its own files.

    Raises:
        ConfigError: A shard is missing.
    """
    path, _ = engine.load_checkpoint(
        str(checkpoint), tag=ENGINE_FOLDER, load_module_strict=False, load_lr_scheduler_states=False
    )
    if path is None:
        raise ConfigError(
            told("DeepSpeed finds no state to continue from in {folder}", folder=checkpoint / ENGINE_FOLDER)
        )
