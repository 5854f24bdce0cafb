"""Memory shared by all processes of one machine.

A socket copies its data from process to kernel to process, which for a model's gradients takes several times as long as
a core needs to sum them. Shared memory is read in place; messages only signal when.
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

_FOLDER = Path("/dev/shm")  # Linux's in-memory file system
_ALIGNMENT = 64  # bytes: one cache line
_MARK = 16  # bytes that identify the first process's file


def shared_places(tensors: Sequence[Tensor], copies: int) -> list[list[Tensor]] | None:
    """Shared memory for `copies` copies of these tensors, with their shapes and dtypes; contents are uninitialised.

    Every process must call it with tensors of the same shapes. None on all processes if one of them cannot map the
    memory: several machines, no space, no Linux.
    """
    size = copies * sum(_aligned(tensor.nbytes) for tensor in tensors)
    with _file_of_the_first(size) as (name, mark):
        memory = map_file(name, size, mark) if name else None
        everybody_has_it = all(_gathered(memory is not None))
    if memory is None or not everybody_has_it:
        return None
    places = _places(memory, [tensor for _ in range(copies) for tensor in tensors])
    return [[next(places) for _ in tensors] for _ in range(copies)]


def _places(memory: mmap.mmap, tensors: Sequence[Tensor]) -> Iterator[Tensor]:
    begin = 0
    for tensor in tensors:  # one storage per tensor, or saving one would save them all
        yield torch.frombuffer(memory, dtype=tensor.dtype, count=tensor.numel(), offset=begin).view(tensor.shape)
        begin += _aligned(tensor.nbytes)


def _aligned(size: int) -> int:
    """Bytes that a tensor of `size` bytes occupies."""
    return -(-size // _ALIGNMENT) * _ALIGNMENT


@contextmanager
def _file_of_the_first(size: int) -> Iterator[tuple[str | None, bytes]]:
    """The name of a file that the first process created, None if it could not, and the mark the file starts with.

    The name is removed on exit; the memory lives until the last process releases it.
    """
    mark = secrets.token_bytes(_MARK)
    share_a_machine = os.environ.get("LOCAL_WORLD_SIZE") == str(dist.get_world_size())
    if dist.get_rank() != 0 or not share_a_machine or not _FOLDER.is_dir():
        yield _from_first((None, mark))
        return
    with tempfile.NamedTemporaryFile(prefix="rlvitals-", dir=_FOLDER) as file:
        try:
            os.posix_fallocate(
                file.fileno(), 0, max(size, _MARK)
            )  # otherwise the kernel kills the writer if space runs out
            file.write(mark)
            file.flush()
        except OSError:
            yield _from_first((None, mark))
        else:
            yield _from_first((file.name, mark))


def map_file(name: str, size: int, mark: bytes) -> mmap.mmap | None:
    """Map the file into memory; None if it is missing or another file of the same name."""
    try:
        with Path(name).open("r+b") as file:
            memory = mmap.mmap(file.fileno(), max(size, _MARK))
    except (OSError, ValueError):  # no such file, or too short
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
