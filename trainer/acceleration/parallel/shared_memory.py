"""Memory that all processes of one machine see.

A socket copies what it carries from process to kernel to process, and takes several times as long for the gradients of
a model as a core needs to add them up. In memory that is shared they are read where they lie; messages only tell when.
"""

import mmap
import os
import secrets
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TypeVar

import torch
import torch.distributed as dist
from torch import Tensor

Item = TypeVar("Item")

_FOLDER = Path("/dev/shm")  # Linux's files that lie in memory alone
_ALIGNMENT = 64  # bytes: a line of the processor's cache
_MARK = 16  # bytes by which a process knows the file of the first one


def shared_places(tensors: Sequence[Tensor], copies: int) -> list[list[Tensor]] | None:
    """Memory for so many copies of all these tensors, each with its shape and dtype; what it holds is not said.

    Every process must call it with tensors of the same shapes. None on all where one cannot have the memory: other
    machines, no room, no Linux.
    """
    size = copies * sum(_aligned(tensor.nbytes) for tensor in tensors)
    with _file_of_the_first(size) as (name, mark):
        memory = mapped(name, size, mark) if name else None
        everybody_has_it = all(_gathered(memory is not None))
    if memory is None or not everybody_has_it:
        return None
    places = _places(memory, [tensor for _ in range(copies) for tensor in tensors])
    return [[next(places) for _ in tensors] for _ in range(copies)]


def _places(memory: mmap.mmap, tensors: Sequence[Tensor]) -> Iterator[Tensor]:
    begin = 0
    for tensor in tensors:  # each with a storage of its own, or whoever saved one would save them all
        yield torch.frombuffer(memory, dtype=tensor.dtype, count=tensor.numel(), offset=begin).view(tensor.shape)
        begin += _aligned(tensor.nbytes)


def _aligned(size: int) -> int:
    """How much of the memory a tensor of `size` bytes takes."""
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


def mapped(name: str, size: int, mark: bytes) -> mmap.mmap | None:
    """The file as memory; None where this process sees another file of that name, or none."""
    try:
        with Path(name).open("r+b") as file:
            memory = mmap.mmap(file.fileno(), max(size, _MARK))
    except (OSError, ValueError):  # no such file, or a shorter one
        return None
    return memory if memory[:_MARK] == mark else None


def _from_first(value: Item) -> Item:
    received = [value]
    dist.broadcast_object_list(received)
    return received[0]


def _gathered(own: Item) -> list[Item]:
    of_all = [own] * dist.get_world_size()
    dist.all_gather_object(of_all, own)
    return of_all
