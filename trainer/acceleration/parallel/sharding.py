"""Models sharded over the processes (FSDP, DeepSpeed), as accelerate's configuration asks."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, cast

import torch
from accelerate import Accelerator, PartialState
from accelerate.utils import DistributedType, FullyShardedDataParallelPlugin, fsdp2_prepare_model
from torch import Tensor, nn
from torch.distributed.fsdp import FSDPModule, register_fsdp_forward_method
from torch.distributed.tensor import DTensor
from torch.nn.parallel import DistributedDataParallel

from diagnostics.told import told
from trainer.config.options import ConfigError
from trainer.config.training import TrainConfig

_SHARDED = (DistributedType.FSDP, DistributedType.DEEPSPEED)
_WHOLE_STAGE = 3
"""From this ZeRO stage on DeepSpeed shards the parameters too; below it, only optimizer states and gradients."""


def asks_for_deepspeed() -> bool:
    """Whether accelerate's launcher was given a DeepSpeed configuration."""
    return os.environ.get("ACCELERATE_USE_DEEPSPEED") == "true"


def is_sharded(accelerator: Accelerator) -> bool:
    """Whether accelerate's configuration selects FSDP or DeepSpeed."""
    return accelerator.distributed_type in _SHARDED


def configure_sharding(accelerator: Accelerator, config: TrainConfig) -> None:
    """Adapt accelerate's configuration to this training; call before any model is loaded.

    Raises:
        ConfigError: The training cannot be sharded as accelerate's configuration asks.
    """
    accelerator.gradient_accumulation_steps = (
        1  # the loops accumulate gradients themselves, whatever the launcher's setting
    )
    if accelerator.distributed_type == DistributedType.MULTI_CPU and os.environ.get("ACCELERATE_USE_FSDP") == "true":
        _split_on_cpu(accelerator)
    if accelerator.distributed_type == DistributedType.FSDP:
        _configure_fsdp(accelerator.state.fsdp_plugin)
    elif accelerator.distributed_type == DistributedType.DEEPSPEED:
        _configure_deepspeed(accelerator.state.deepspeed_plugin, config)


def _split_on_cpu(accelerator: Accelerator) -> None:
    """Set up FSDP as on GPUs; accelerate would silently continue without it."""
    plugin = FullyShardedDataParallelPlugin()
    if accelerator.mixed_precision != "no":
        plugin.set_mixed_precision(accelerator.mixed_precision)
    accelerator.state.fsdp_plugin = plugin
    accelerator.state.distributed_type = PartialState().distributed_type = DistributedType.FSDP


def _configure_fsdp(plugin: FullyShardedDataParallelPlugin) -> None:
    if plugin.fsdp_version != 2:
        raise ConfigError(
            told("FSDP 1 cannot generate from a sharded model; set fsdp_version: 2 in accelerate's configuration")
        )
    # Only the first process would load weights; those of the reference and a new value head would not reach the others.
    plugin.cpu_ram_efficient_loading = False
    os.environ["FSDP_CPU_RAM_EFFICIENT_LOADING"] = "false"


def _configure_deepspeed(plugin: Any, config: TrainConfig) -> None:
    plugin.dschf = None  # transformers would shard every model on loading, even those that no engine gathers
    plugin.deepspeed_config |= {
        "train_micro_batch_size_per_gpu": config.per_device_train_batch_size,
        "gradient_accumulation_steps": 1,
        "gradient_clipping": config.max_grad_norm,
    }
    plugin.deepspeed_config["zero_optimization"]["stage3_gather_16bit_weights_on_model_save"] = True


def take_as_root(model: Any) -> None:
    """Make this sharded module FSDP's root: FSDP picks the first module to run, which may be an inner one."""
    register_fsdp_forward_method(model, "eval")
    model.eval()
    del model.eval
    model.reshard()


def prepare_frozen(accelerator: Accelerator, model: nn.Module) -> nn.Module:
    """Place a frozen model on its device, sharded if trained models are; a view of a trained model stays unchanged."""
    is_view = any(parameter.requires_grad for parameter in model.parameters())
    if is_view or not is_sharded(accelerator):
        return model.to(accelerator.device)
    if accelerator.distributed_type == DistributedType.FSDP:
        return _split_frozen(accelerator, model)
    import deepspeed  # noqa: PLC0415 - there only where accelerate's configuration asks for it

    configured = accelerator.state.deepspeed_plugin.deepspeed_config
    stage = _WHOLE_STAGE if _splits_parameters(accelerator) else 0
    settings = {
        "train_micro_batch_size_per_gpu": configured["train_micro_batch_size_per_gpu"],
        "zero_optimization": {"stage": stage},
        **{kind: configured[kind] for kind in ("bf16", "fp16") if kind in configured},
    }
    engine, *_ = deepspeed.initialize(model=model, config=settings)
    engine.eval()
    return cast(nn.Module, engine)


def _split_frozen(accelerator: Accelerator, model: nn.Module) -> nn.Module:
    split = fsdp2_prepare_model(accelerator, model)
    split.set_reshard_after_forward(True)  # no backward pass follows to reuse the gathered parameters
    return cast(nn.Module, split)


def _splits_parameters(accelerator: Accelerator) -> bool:
    """Whether DeepSpeed shards the parameters themselves."""
    has_deepspeed = accelerator.distributed_type == DistributedType.DEEPSPEED
    return has_deepspeed and bool(accelerator.state.deepspeed_plugin.zero_stage == _WHOLE_STAGE)


def _unwrapped(model: nn.Module) -> nn.Module:
    """accelerate's `unwrap_model` for unsharded models, without its search of the disk for packages."""
    return cast(nn.Module, model.module) if isinstance(model, DistributedDataParallel) else model


@contextmanager
def gathered_model(accelerator: Accelerator, model: nn.Module) -> Iterator[Any]:
    """The plain model with all its parameters, for generation: processes may run unequal numbers of forward passes."""
    plain = accelerator.unwrap_model(model) if is_sharded(accelerator) else _unwrapped(model)
    with accelerator.autocast():
        if accelerator.distributed_type == DistributedType.FSDP:
            with _gathered(plain, accelerator.state.fsdp_plugin.reshard_after_forward):
                yield plain
        elif _splits_parameters(accelerator):
            import deepspeed  # noqa: PLC0415 - there only where accelerate's configuration asks for it

            with deepspeed.zero.unwrap_model_for_generation(model):
                yield plain
        else:
            yield plain


@contextmanager
def _gathered(model: nn.Module, reshards: bool) -> Iterator[None]:
    """Keep the parameters of every FSDP 2 unit gathered for the duration, across forward passes."""
    units = [module for module in model.modules() if isinstance(module, FSDPModule)]
    for unit in units:
        unit.set_reshard_after_forward(False, recurse=False)
        unit.unshard()
    try:
        yield
    finally:
        for unit in units:
            unit.reshard()
            unit.set_reshard_after_forward(reshards and unit is not model, recurse=False)


def clip_gradients(accelerator: Accelerator, model: nn.Module, max_norm: float) -> Tensor:
    """Clip the gradients to this norm and return the norm before clipping."""
    norm = accelerator.clip_grad_norm_(model.parameters(), max_norm)
    return norm.full_tensor() if isinstance(norm, DTensor) else torch.as_tensor(norm)
