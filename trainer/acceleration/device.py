"""The device of a training: seeds, threads and accelerate's placement on whatever accelerator is there."""

import ctypes
import sys

import torch
from accelerate import Accelerator, PartialState
from accelerate.utils import DistributedDataParallelKwargs, set_seed

from trainer.acceleration.parallel.cores import keep_to_own_cores
from trainer.acceleration.parallel.sharding import asks_for_deepspeed, settle
from trainer.config.training import TrainConfig
from trainer.console import say_once

_M_TRIM_THRESHOLD, _M_MMAP_THRESHOLD = -1, -3  # of malloc.h
_KEPT_BYTES, _LARGEST_KEPT_BYTES = 256 * 2**20, 32 * 2**20

_BUCKET_MIB = 32
"""Gradients exchanged at once. Named, it holds for the first exchange too, which else has 1 MiB: one more message."""


def stays_on_cpu(config: TrainConfig) -> bool:
    """Whether to keep to the CPU; several processes must be told so where there is nothing else, or each is alone.

    Not DeepSpeed, which accelerate leaves out where it is told so, and which finds the CPU by itself.
    """
    is_only_cpu = config.num_processes > 1 and not torch.accelerator.is_available()
    return (config.use_cpu or is_only_cpu) and not asks_for_deepspeed()


def join(config: TrainConfig) -> PartialState:
    """Take this process's place among those of the training, and on the CPU a share of its cores."""
    if stays_on_cpu(config) and config.acceleration:
        keep_to_own_cores()
    if asks_for_deepspeed() and not torch.accelerator.is_available():
        return PartialState(backend="gloo")
    return PartialState(cpu=stays_on_cpu(config))


def accelerator_for(config: TrainConfig) -> Accelerator:
    """Seed every generator, set the threads and return the accelerator: a GPU where there is one, unless use_cpu.

    Raises:
        ConfigError: accelerate's own configuration asks for what this training cannot do.
    """
    if config.num_threads:
        torch.set_num_threads(config.num_threads)
    _keep_freed_memory()
    set_seed(config.seed)
    precision = None if config.mixed_precision == "no" else config.mixed_precision  # None: as the launcher says
    in_place = DistributedDataParallelKwargs(  # gradients are exchanged where they lie, and small models' at once
        gradient_as_bucket_view=True, bucket_cap_mb=_BUCKET_MIB
    )
    accelerator = Accelerator(cpu=stays_on_cpu(config), mixed_precision=precision, kwargs_handlers=[in_place])
    settle(accelerator, config)
    if accelerator.is_main_process:
        say_once("device", f"computes on {place_in_words(accelerator)}")
    return accelerator


def place_in_words(accelerator: Accelerator) -> str:
    """Where a training computes, such as "2 × cuda (NVIDIA H200), mixed precision bf16" or "cpu, 2 threads"."""
    device, count = accelerator.device, accelerator.num_processes
    place = f"{count} × {device.type}" if count > 1 else device.type
    if device.type == "cpu":
        threads = torch.get_num_threads()
        place += f", {threads} thread{'s' if threads > 1 else ''}{' each' if count > 1 else ''}"
    elif name := _name_of(device):
        place += f" ({name})"
    precision = accelerator.mixed_precision
    return place if precision == "no" else f"{place}, mixed precision {precision}"


def _name_of(device: torch.device) -> str:
    """What the maker calls it; empty for devices whose module of torch tells no name."""
    ask = getattr(torch.get_device_module(device), "get_device_name", None)
    return str(ask(device)) if ask is not None else ""


def _keep_freed_memory() -> None:
    """Tell glibc not to return every freed tensor to the kernel, to fetch it again page by page for the next one."""
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None) if sys.platform == "linux" else None
    if mallopt is not None:  # other C libraries have no such setting
        mallopt(_M_MMAP_THRESHOLD, _LARGEST_KEPT_BYTES)
        mallopt(_M_TRIM_THRESHOLD, _KEPT_BYTES)
