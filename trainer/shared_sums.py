"""Sums over the processes of one machine, through memory that all of them see.

A socket copies what it carries from process to kernel to process, and takes several times as long for gradients as a
core needs to add them up. Here each process adds up its share of the values and reads those of the others; messages
only tell when.
Axes: P processes, N bytes of the memory.
"""

import os
import secrets
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

import torch
import torch.distributed as dist
from torch import Tensor

Item = TypeVar("Item")

_FOLDER = Path("/dev/shm")  # Linux's files that lie in memory alone
_ALIGNMENT = 64  # bytes: a line of the processor's cache
_MARK = 16  # bytes by which a process knows the file of the first one


@dataclass(frozen=True, slots=True)
class SharedSums:
    """The memory that the processes share; all of them must call every method, with tensors of the same shapes."""

    bytes_N: Tensor
    meet: Callable[[], None]
    """Returns when every process has called it."""

    @classmethod
    def of(cls, size: int, meet: Callable[[], None]) -> "SharedSums | None":
        """With room for `size` bytes; None on all where one cannot have it: other machines, no room, no Linux."""
        with _file_of_the_first(size) as (name, mark):
            memory = mapped(name, size, mark) if name else None
            everybody_has_it = all(_gathered(memory is not None))
        return cls(memory, meet) if memory is not None and everybody_has_it else None

    def average(self, tensors: Sequence[Tensor]) -> None:
        """Make each of these flat tensors the mean of those of all processes, the same on all to the bit.

        In round r process p adds its values to share p + 1 + r; the last round's is the process's own, and complete.
        """
        rank, processes = dist.get_rank(), dist.get_world_size()
        shares = [
            list(zip(values.tensor_split(processes), place.tensor_split(processes), strict=True))
            for values, place in zip(tensors, self._places(tensors), strict=True)
        ]
        for round_ in range(processes):
            self.meet()  # before the first round too: all have read what stood there
            for parts in shares:
                own, common = parts[(rank + 1 + round_) % processes]
                if round_ == 0:
                    common.copy_(own)
                elif round_ < processes - 1:
                    common.add_(own)
                else:
                    common.copy_(own.add_(common).div_(processes))
        self.meet()
        for parts in shares:
            for place, (own, common) in enumerate(parts):
                if place != rank:
                    own.copy_(common)

    def _places(self, tensors: Sequence[Tensor]) -> Iterator[Tensor]:
        """Where the sum of each tensor stands."""
        begin = 0
        for tensor in tensors:
            yield self.bytes_N[begin : begin + tensor.nbytes].view(tensor.dtype)
            begin += aligned(tensor.nbytes)


def aligned(size: int) -> int:
    """How much of the memory a tensor of `size` bytes takes, at most."""
    return -(-size // _ALIGNMENT) * _ALIGNMENT


@contextmanager
def _file_of_the_first(size: int) -> Iterator[tuple[str | None, bytes]]:
    """The name of a file that the first process made, None where it could not, and what the file begins with.

    The name is gone afterwards; the memory stays until the last process that holds it is gone.
    """
    mark = secrets.token_bytes(_MARK)
    share_a_machine = os.environ.get("LOCAL_WORLD_SIZE") == str(dist.get_world_size())
    if dist.get_rank() != 0 or not share_a_machine or not _FOLDER.is_dir():
        yield _from_first((None, mark))
        return
    with tempfile.NamedTemporaryFile(prefix="rlvitals-", dir=_FOLDER) as file:
        try:
            os.posix_fallocate(file.fileno(), 0, max(size, _MARK))  # or the kernel kills who writes where no room is
            file.write(mark)
            file.flush()
        except OSError:
            yield _from_first((None, mark))
        else:
            yield _from_first((file.name, mark))


def mapped(name: str, size: int, mark: bytes) -> Tensor | None:
    """The file as memory; None where this process sees another file of that name, or none."""
    if not Path(name).exists():
        return None
    memory = torch.from_file(name, shared=True, size=max(size, _MARK), dtype=torch.uint8)
    return memory if bytes(memory[:_MARK].tolist()) == mark else None


def _from_first(value: Item) -> Item:
    received = [value]
    dist.broadcast_object_list(received)
    return received[0]


def _gathered(own: Item) -> list[Item]:
    of_all = [own] * dist.get_world_size()
    dist.all_gather_object(of_all, own)
    return of_all
