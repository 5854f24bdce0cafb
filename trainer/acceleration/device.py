"""The training device: seeds, threads and placement through accelerate on any available accelerator."""

import ctypes
import sys

import torch
from accelerate import Accelerator, PartialState
from accelerate.utils import DistributedDataParallelKwargs, set_seed

from diagnostics.language import _, ngettext
from diagnostics.punctuation import listed
from trainer.acceleration.parallel.cores import keep_to_own_cores
from trainer.acceleration.parallel.sharding import asks_for_deepspeed, configure_sharding
from trainer.config.training import TrainConfig
from trainer.console import say_once

_M_TRIM_THRESHOLD, _M_MMAP_THRESHOLD = -1, -3  # from malloc.h
_KEPT_BYTES, _LARGEST_KEPT_BYTES = 256 * 2**20, 32 * 2**20

_BUCKET_MIB = 32
"""Size of a gradient bucket. Set explicitly, it also applies to the first bucket, which otherwise gets 1 MiB: one more
message."""


def stays_on_cpu(config: TrainConfig) -> bool:
    """Whether to force the CPU; on a CPU-only machine accelerate needs this to connect several processes.

    Not under DeepSpeed: accelerate disables it when the CPU is forced, and DeepSpeed finds the CPU on its own.
    """
    is_only_cpu = config.num_processes > 1 and not torch.accelerator.is_available()
    return (config.use_cpu or is_only_cpu) and not asks_for_deepspeed()


def join_process_group(config: TrainConfig) -> PartialState:
    """Join the training's process group and, on the CPU, pin this process to its share of the cores."""
    if stays_on_cpu(config) and config.acceleration:
        keep_to_own_cores()
    if asks_for_deepspeed() and not torch.accelerator.is_available():
        return PartialState(backend="gloo")
    return PartialState(cpu=stays_on_cpu(config))


def accelerator_for(config: TrainConfig) -> Accelerator:
    """Seed all generators, set the threads and return the accelerator: a GPU if available, unless use_cpu.

    Raises:
        ConfigError: accelerate's own configuration asks for something this trainer does not support.
    """
    if config.num_threads:
        torch.set_num_threads(config.num_threads)
    _keep_freed_memory()
    set_seed(config.seed)
    precision = None if config.mixed_precision == "no" else config.mixed_precision  # None: the launcher's setting
    in_place = DistributedDataParallelKwargs(  # gradients are exchanged in place, a small model's all at once
        gradient_as_bucket_view=True, bucket_cap_mb=_BUCKET_MIB
    )
    accelerator = Accelerator(cpu=stays_on_cpu(config), mixed_precision=precision, kwargs_handlers=[in_place])
    configure_sharding(accelerator, config)
    if accelerator.is_main_process:
        say_once("device", _("computes on {place}").format(place=place_in_words(accelerator)))
    return accelerator


def place_in_words(accelerator: Accelerator) -> str:
    """The devices of a training, such as "2 × cuda (NVIDIA H200), mixed precision bf16" or "cpu, 2 threads"."""
    device, count = accelerator.device, accelerator.num_processes
    place = f"{count} × {device.type}" if count > 1 else device.type
    if device.type == "cpu":
        number = torch.get_num_threads()
        threads = ngettext("{count} thread", "{count} threads", number).format(count=number)
        place = listed([place, _("{threads} each").format(threads=threads) if count > 1 else threads])
    elif name := _name_of(device):
        place += f" ({name})"
    precision = accelerator.mixed_precision
    return place if precision == "no" else listed([place, _("mixed precision {precision}").format(precision=precision)])


def _name_of(device: torch.device) -> str:
    """The vendor's name for the device; empty if its torch module does not report one."""
    ask = getattr(torch.get_device_module(device), "get_device_name", None)
    return str(ask(device)) if ask is not None else ""


def _keep_freed_memory() -> None:
    """Make glibc keep freed tensors instead of returning them to the kernel, which costs a page fault per page."""
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None) if sys.platform == "linux" else None
    if mallopt is not None:  # other C libraries have no such setting
        mallopt(_M_MMAP_THRESHOLD, _LARGEST_KEPT_BYTES)
        mallopt(_M_TRIM_THRESHOLD, _KEPT_BYTES)
