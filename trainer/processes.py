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
from typing import TypeVar

import torch
from accelerate import Accelerator, PartialState
from accelerate.utils import broadcast_object_list, gather_object
from torch import Tensor
from torch.distributed import TCPStore  # type: ignore[attr-defined] # public by its documentation

from trainer.config import TrainConfig
from trainer.device import stays_on_cpu
from trainer.rollout import Completions
from trainer.scoring import Scores

Item = TypeVar("Item")

_FAILURE = "rlvitals/failure"
_SECONDS_TO_REACH_THE_STORE = 10


@dataclass(frozen=True, slots=True)
class Processes:
    """This process among all of its training; every method but `own_rows` must be called by all of them."""

    accelerator: Accelerator

    @property
    def count(self) -> int:
        """How many there are."""
        return int(self.accelerator.num_processes)

    @property
    def is_first(self) -> bool:
        """Whether this is the one that writes."""
        return bool(self.accelerator.is_main_process)

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
        with ExitStack() as unsynced:
            for model in models:
                unsynced.enter_context(self.accelerator.no_sync(model))
            yield from parts[:-1]
        exchange(True)
        yield parts[-1]

    def gather(self, share: Tensor, padding: float = 0) -> Tensor:
        """All shares, in the order of the processes; those of a shorter second axis are padded at its end."""
        if self.count == 1:
            return share
        if share.dim() > 1:
            own_length = torch.tensor([share.shape[1]], device=self.accelerator.device)
            longest = int(self.accelerator.gather(own_length).max())
            padded = share.new_full((len(share), longest), padding)  # accelerate's own padding turns bools into numbers
            padded[:, : share.shape[1]] = share
            share = padded
        gathered: Tensor = self.accelerator.gather(share.contiguous())
        return gathered

    def gather_objects(self, own: Item) -> list[Item]:
        """One picklable object of each process, in their order."""
        return list(gather_object([own])) if self.count > 1 else [own]

    def gather_completions(self, own: Completions, pad_id: int) -> Completions:
        """The completions of all rows."""
        return Completions(
            self.gather(own.ids_BT, pad_id),
            self.gather(own.mask_BT),
            self.gather(own.logprobs_BT),
            self.gather(own.terminated_B),
        )

    def gather_scores(self, own: Scores) -> Scores:
        """The rewards of all rows."""
        return Scores.joined(self.gather_objects(own)) if self.count > 1 else own

    def sum(self, own: Tensor) -> Tensor:
        """The sum over the processes."""
        total: Tensor = self.accelerator.reduce(own, "sum")
        return total

    def any(self, claim: bool) -> bool:
        """Whether the claim is true on at least one."""
        return claim if self.count == 1 else any(self.gather_objects(claim))

    def from_first(self, value: Item) -> Item:
        """What the first process holds."""
        return from_first(value) if self.count > 1 else value


def from_first(value: Item) -> Item:
    """What the first process holds; every process of the training must call it."""
    received: list[Item] = broadcast_object_list([value])
    return received[0]


def meet(config: TrainConfig, directory: Path | None) -> Path:
    """Wait for all processes of the training and agree on the run directory, which the first process brings along."""
    PartialState(cpu=stays_on_cpu(config))
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
