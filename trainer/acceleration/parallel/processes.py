"""The processes of one training: what each one does alone, and how they combine their results.

Every process draws the same prompts and random numbers, generates and scores its own slice of the rows, and then has
the whole step's experience: every process computes advantages, statistics and the log from all rows. Only the passes
over the model are divided again. With a single process, every slice is everything.
"""

import os
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Any, TypeVar

import torch
from accelerate import Accelerator, PartialState
from accelerate.optimizer import AcceleratedOptimizer
from accelerate.utils import DistributedType, broadcast_object_list, gather_object
from torch import Tensor
from torch.distributed import TCPStore  # type: ignore[attr-defined] # public by its documentation
from torch.distributed.fsdp import FSDPModule
from torch.nn.parallel import DistributedDataParallel
from torch.optim import Optimizer

from trainer.acceleration.device import join_process_group
from trainer.acceleration.parallel.exchange import average_gradients_awake, gather_shares, sum_over_processes
from trainer.acceleration.parallel.sharding import clip_gradients, take_as_root
from trainer.acceleration.parallel.shared_model import SharedModel
from trainer.config.training import TrainConfig

Item = TypeVar("Item")

_FAILURE = "rlvitals/failure"
_SECONDS_TO_REACH_THE_STORE = 10


@dataclass(slots=True)
class Processes:
    """This process within its training; all processes must call every method except `own_rows`."""

    accelerator: Accelerator
    is_accelerated: bool = True
    """Whether to share the model's memory and use our own exchanges on CPUs; otherwise accelerate does everything."""
    _shared: SharedModel | None = None

    @property
    def count(self) -> int:
        """Number of processes."""
        return int(self.accelerator.num_processes)

    @property
    def is_first(self) -> bool:
        """Whether this process writes files and messages."""
        return bool(self.accelerator.is_main_process)

    @property
    def _computes_on_cpu(self) -> bool:
        return bool(self.accelerator.device.type == "cpu")

    def prepare(self, model: torch.nn.Module, optimizer: Optimizer) -> tuple[Any, Any]:
        """accelerate's `prepare`, without synchronising the buffers, which never change in training, before each pass.

        The optimizer is returned unwrapped if accelerate's wrapper would only search the disk for packages at every
        step.
        """
        is_on_cpus = self.accelerator.distributed_type == DistributedType.MULTI_CPU
        if self.is_accelerated and is_on_cpus and self.accelerator.scaler is None:
            self._shared = SharedModel.of(optimizer)
        if self._shared is not None:  # no DDP wrapper, and moving to the device "cpu:0" would copy the shared memory
            return self.accelerator.prepare_model(model, device_placement=False, evaluation_mode=True), optimizer
        prepared, wrapped = self.accelerator.prepare(model, optimizer)
        if type(wrapped) is AcceleratedOptimizer and self.accelerator.scaler is None:
            wrapped = wrapped.optimizer
        if isinstance(prepared, DistributedDataParallel):
            prepared.broadcast_buffers = False
            if self.is_accelerated and self._computes_on_cpu:
                average_gradients_awake(prepared)
        elif isinstance(prepared, FSDPModule):
            take_as_root(prepared)
        return prepared, wrapped

    def own_rows(self, rows: int) -> slice:
        """This process's slice of rows that all processes have; the number of processes divides the number of rows."""
        size = rows // self.count
        first = self.accelerator.process_index * size
        return slice(first, first + size)

    def passes(self, rows_M: Tensor, size: int, *models: torch.nn.Module) -> Iterator[Tensor]:
        """The row numbers of each pass over this process's share; gradients are exchanged only at the last pass."""
        parts = rows_M[self.own_rows(len(rows_M))].split(size)
        exchange = self.accelerator.gradient_state._set_sync_gradients  # transformers' Trainer calls it as well
        exchange(len(parts) == 1)
        if len(parts) > 1:
            with ExitStack() as unsynced:
                for model in models:
                    unsynced.enter_context(self.accelerator.no_sync(model))
                yield from parts[:-1]
        exchange(True)
        yield parts[-1]

    def backward(self, loss: Tensor) -> None:
        """Accumulate this pass's gradients; `loss` is this pass's part of the loss over all rows of all processes."""
        are_averaged = self._shared is None
        self.accelerator.backward(loss * self.count if are_averaged else loss)

    def clip_gradients(self, model: torch.nn.Module, max_norm: float) -> Tensor:
        """Clip the total gradient of all rows to this norm and return the norm before clipping."""
        if self._shared is not None:
            return self._shared.clip_gradients(max_norm)
        return clip_gradients(self.accelerator, model, max_norm)

    def gather(self, share: Tensor) -> Tensor:
        """All processes' shares of a tensor, in rank order; every share must have the same shape."""
        return self.gather_together(share)[0]

    def gather_together(self, *shares: Tensor) -> list[Tensor]:
        """All shares of several tensors, as bytes in one exchange: the number of exchanges dominates a small step."""
        if self.count == 1:
            return list(shares)
        packed = [share.to(self.accelerator.device).flatten().view(torch.uint8) for share in shares]
        own = torch.cat(packed)
        of_all = gather_shares(own, self.count) if self._computes_on_cpu else self.accelerator.gather(own.unsqueeze(0))
        parts = of_all.split([len(part) for part in packed], 1)
        return [_unpacked(part, share) for part, share in zip(parts, shares, strict=True)]

    def gather_objects(self, own: Item) -> list[Item]:
        """One picklable object from each process, in rank order."""
        return list(gather_object([own])) if self.count > 1 else [own]

    def sum(self, own: Tensor) -> Tensor:
        """The sum over all processes."""
        if self.count == 1:
            return own
        total: Tensor = sum_over_processes(own) if self._computes_on_cpu else self.accelerator.reduce(own, "sum")
        return total

    def any(self, claim: bool) -> bool:
        """Whether the claim is true on at least one process."""
        return claim if self.count == 1 else bool(self.sum(torch.tensor([int(claim)], device=self.accelerator.device)))

    def from_first(self, value: Item) -> Item:
        """The first process's value."""
        return from_first(value) if self.count > 1 else value


def _unpacked(bytes_PN: Tensor, share: Tensor) -> Tensor:
    """One tensor's shares from all P processes, decoded from bytes; `share` is this process's."""
    rows = len(bytes_PN) * len(share)
    return bytes_PN.flatten().view(share.dtype).view(rows, *share.shape[1:]).to(share.device)


def from_first(value: Item) -> Item:
    """The first process's value; every process of the training must call it."""
    received: list[Item] = broadcast_object_list([value])
    return received[0]


def agree_on_directory(config: TrainConfig, directory: Path | None) -> Path:
    """Wait for all processes of the training and agree on the run directory, which the first process provides."""
    join_process_group(config)
    found = from_first(directory)
    if found is None:
        raise AssertionError("unreachable: the first process brings a directory")
    return found


def shut_down() -> None:
    """Shut down together: a process that exits can abort others that are still connected to it."""
    state = PartialState()
    state.wait_for_everyone()
    state.destroy_process_group()


def announce_failure(sentence: str) -> None:
    """Publish this process's failure, for the first process to report if it loses touch; call before exiting."""
    _store().set(_FAILURE, sentence)


def announced_failure() -> str | None:
    """The failure that another process announced, if any."""
    try:
        store = _store()
        return store.get(_FAILURE).decode() if store.check([_FAILURE]) else None
    except RuntimeError:  # the launcher, which hosts the store, is gone as well
        return None


def _store() -> TCPStore:
    wait = timedelta(seconds=_SECONDS_TO_REACH_THE_STORE)
    return TCPStore(os.environ["MASTER_ADDR"], int(os.environ["MASTER_PORT"]), is_master=False, timeout=wait)
