"""The processes of one training: what each of them does by itself, and how its results come together on all.

Every process draws the same prompts and the same random numbers, writes and scores its own slice of the rows, and then
holds the whole step's experience: advantages, statistics and the log are computed from all rows, on all processes
alike. Only the passes are divided again. One process is the case where every slice is everything.
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

from trainer.acceleration.device import join
from trainer.acceleration.parallel.exchange import average_gradients_awake, gathered, summed
from trainer.acceleration.parallel.sharding import clip_gradients, take_as_root
from trainer.acceleration.parallel.shared_model import SharedModel
from trainer.config.training import TrainConfig

Item = TypeVar("Item")

_FAILURE = "rlvitals/failure"
_SECONDS_TO_REACH_THE_STORE = 10


@dataclass(slots=True)
class Processes:
    """This process among all of its training; every method but `own_rows` must be called by all of them."""

    accelerator: Accelerator
    is_accelerated: bool = True
    """Whether models may be in shared memory and exchanges in our hands; else all is accelerate's."""
    _shared: SharedModel | None = None

    @property
    def count(self) -> int:
        """How many there are."""
        return int(self.accelerator.num_processes)

    @property
    def is_first(self) -> bool:
        """Whether this is the one that writes."""
        return bool(self.accelerator.is_main_process)

    @property
    def _computes_on_cpu(self) -> bool:
        return bool(self.accelerator.device.type == "cpu")

    def prepare(self, model: torch.nn.Module, optimizer: Optimizer) -> tuple[Any, Any]:
        """accelerate's `prepare`; buffers, which no training changes, are not exchanged again before each pass.

        The optimizer comes back as it is where accelerate has nothing to do for it but to look for packages on the disk
        at every step.
        """
        is_on_cpus = self.accelerator.distributed_type == DistributedType.MULTI_CPU
        if self.is_accelerated and is_on_cpus and self.accelerator.scaler is None:
            self._shared = SharedModel.of(optimizer)
        if self._shared is not None:  # no wrapper exchanges, and a move to the device "cpu:0" would copy what is shared
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
        """This process's slice of rows that all hold; their number divides by the number of processes."""
        size = rows // self.count
        first = self.accelerator.process_index * size
        return slice(first, first + size)

    def passes(self, rows_M: Tensor, size: int, *models: torch.nn.Module) -> Iterator[Tensor]:
        """The row numbers of each pass over this process's share; gradients are exchanged at the last one only."""
        parts = rows_M[self.own_rows(len(rows_M))].split(size)
        exchange = self.accelerator.gradient_state._set_sync_gradients  # what transformers' Trainer calls as well
        exchange(len(parts) == 1)
        if len(parts) > 1:
            with ExitStack() as unsynced:
                for model in models:
                    unsynced.enter_context(self.accelerator.no_sync(model))
                yield from parts[:-1]
        exchange(True)
        yield parts[-1]

    def backward(self, loss: Tensor) -> None:
        """Add this pass's gradients up, on this process or on all; `loss` is its part of the loss of all rows."""
        are_averaged = self._shared is None
        self.accelerator.backward(loss * self.count if are_averaged else loss)

    def clip_gradients(self, model: torch.nn.Module, max_norm: float) -> Tensor:
        """Scale the gradients of all rows down to this norm, and return the norm that they had."""
        if self._shared is not None:
            return self._shared.clip_gradients(max_norm)
        return clip_gradients(self.accelerator, model, max_norm)

    def gather(self, share: Tensor) -> Tensor:
        """All shares of a tensor, in the order of the processes; it has the same shape on all of them."""
        return self.gather_together(share)[0]

    def gather_together(self, *shares: Tensor) -> list[Tensor]:
        """All shares of each of several tensors, as bytes in one exchange: what costs a small step is their number."""
        if self.count == 1:
            return list(shares)
        packed = [share.to(self.accelerator.device).flatten().view(torch.uint8) for share in shares]
        own = torch.cat(packed)
        of_all = gathered(own, self.count) if self._computes_on_cpu else self.accelerator.gather(own.unsqueeze(0))
        parts = of_all.split([len(part) for part in packed], 1)
        return [_unpacked(part, share) for part, share in zip(parts, shares, strict=True)]

    def gather_objects(self, own: Item) -> list[Item]:
        """One picklable object of each process, in their order."""
        return list(gather_object([own])) if self.count > 1 else [own]

    def sum(self, own: Tensor) -> Tensor:
        """The sum over the processes."""
        if self.count == 1:
            return own
        total: Tensor = summed(own) if self._computes_on_cpu else self.accelerator.reduce(own, "sum")
        return total

    def any(self, claim: bool) -> bool:
        """Whether the claim is true on at least one."""
        return claim if self.count == 1 else bool(self.sum(torch.tensor([int(claim)], device=self.accelerator.device)))

    def from_first(self, value: Item) -> Item:
        """What the first process holds."""
        return from_first(value) if self.count > 1 else value


def _unpacked(bytes_PN: Tensor, share: Tensor) -> Tensor:
    """One tensor's shares of all P processes, from their bytes; `share` is this process's."""
    rows = len(bytes_PN) * len(share)
    return bytes_PN.flatten().view(share.dtype).view(rows, *share.shape[1:]).to(share.device)


def from_first(value: Item) -> Item:
    """What the first process holds; every process of the training must call it."""
    received: list[Item] = broadcast_object_list([value])
    return received[0]


def meet(config: TrainConfig, directory: Path | None) -> Path:
    """Wait for all processes of the training and agree on the run directory, which the first process brings along."""
    join(config)
    found = from_first(directory)
    if found is None:
        raise AssertionError("unreachable: the first process brings a directory")
    return found


def part() -> None:
    """Leave together: a process that ends while another one still holds a connection to it can abort that one."""
    state = PartialState()
    state.wait_for_everyone()
    state.destroy_process_group()


def announce_failure(sentence: str) -> None:
    """Leave word of this process's failure where the first process looks when it loses touch; call before ending."""
    _store().set(_FAILURE, sentence)


def announced_failure() -> str | None:
    """The failure that another process announced, if one did."""
    try:
        store = _store()
        return store.get(_FAILURE).decode() if store.check([_FAILURE]) else None
    except RuntimeError:  # the launcher, which holds the store, is gone as well
        return None


def _store() -> TCPStore:
    wait = timedelta(seconds=_SECONDS_TO_REACH_THE_STORE)
    return TCPStore(os.environ["MASTER_ADDR"], int(os.environ["MASTER_PORT"]), is_master=False, timeout=wait)
