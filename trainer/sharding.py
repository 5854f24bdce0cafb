"""Models whose parameters are split over the processes (FSDP, DeepSpeed): what accelerate's configuration asks for."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import torch
from accelerate import Accelerator
from accelerate.utils import DistributedType
from torch.distributed.fsdp import FSDPModule

from trainer.config import GRPOConfig, TrainConfig
from trainer.options import ConfigError

_SHARDED = (DistributedType.FSDP, DistributedType.DEEPSPEED)
_WHOLE_STAGE = 3
"""DeepSpeed splits the parameters themselves from this stage on; before it, optimizer states and gradients only."""


def is_sharded(accelerator: Accelerator) -> bool:
    """Whether accelerate's configuration names FSDP or DeepSpeed."""
    return accelerator.distributed_type in _SHARDED


def settle(accelerator: Accelerator, config: TrainConfig) -> None:
    """Tell DeepSpeed the batch that it cannot see.

    Raises:
        ConfigError: The training cannot be split as accelerate's configuration asks.
    """
    if not is_sharded(accelerator):
        return
    if not isinstance(config, GRPOConfig):
        raise ConfigError("PPO trains two models, which FSDP and DeepSpeed cannot split together; use plain processes")
    plugin = accelerator.state.fsdp_plugin
    if plugin is not None and plugin.fsdp_version != 2:
        raise ConfigError(
            "FSDP 1 cannot generate from a split model; set fsdp_version: 2 in accelerate's configuration"
        )
    if accelerator.state.deepspeed_plugin is not None:
        settings = accelerator.state.deepspeed_plugin.deepspeed_config
        settings["train_micro_batch_size_per_gpu"] = config.per_device_train_batch_size


@contextmanager
def whole(accelerator: Accelerator, model: torch.nn.Module) -> Iterator[Any]:
    """The plain model with all its parameters, to generate with: processes may call it unequally often."""
    plain = accelerator.unwrap_model(model)
    if accelerator.distributed_type == DistributedType.FSDP:
        with _gathered(plain):
            yield plain
    elif is_sharded(accelerator) and accelerator.state.deepspeed_plugin.zero_stage == _WHOLE_STAGE:
        import deepspeed  # noqa: PLC0415 - there only where accelerate's configuration asks for it

        with deepspeed.zero.GatheredParameters(list(model.parameters())):
            yield plain
    else:
        yield plain


@contextmanager
def _gathered(model: torch.nn.Module) -> Iterator[None]:
    """Every unit of a model that FSDP 2 split holds its parameters, forward passes or not."""
    units = [module for module in model.modules() if isinstance(module, FSDPModule)]
    for unit in units:
        unit.set_reshard_after_forward(False, recurse=False)
        unit.unshard()
    try:
        yield
    finally:
        for unit in units:
            unit.reshard()
            unit.set_reshard_after_forward(True, recurse=False)
