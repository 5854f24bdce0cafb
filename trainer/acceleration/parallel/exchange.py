"""Exchanges between processes that compute on CPUs, which wait for each other awake.

A process that sleeps until a message comes leaves its core idle, and a virtual machine may get an idle core back some
milliseconds later only, longer than the gradients of a small model are on their way. So each wait begins awake, and
gives the core to whichever other thread has something to do (those of the exchange, above all); a long one goes to
sleep after a while.
Axes: P processes.
"""

import os
import time
from dataclasses import dataclass, field

import torch
import torch.distributed as dist
from torch import Tensor
from torch.distributed import GradBucket  # type: ignore[attr-defined] # public by its documentation
from torch.futures import Future
from torch.nn.parallel import DistributedDataParallel

AWAKE_SECONDS = 0.1
"""Engineering default: whoever waits longer, for a slow reward say, loses little by sleeping."""


def gathered(share: Tensor, processes: int) -> Tensor:
    """(P, …) the shares of all processes, in their order; they have the same shape on all of them."""
    shares = share.new_empty(processes, *share.shape)
    _wait(dist.all_gather(list(shares.unbind(0)), share.contiguous(), async_op=True))
    return shares


def summed(own: Tensor) -> Tensor:
    """The sum over the processes."""
    total = own.clone()
    _wait(dist.all_reduce(total, async_op=True))
    return total


def average_gradients_awake(model: DistributedDataParallel) -> None:
    """Let this model's gradients be averaged over its processes as torch does it, but faster on CPUs."""
    model.register_comm_hook(_Underway(), _average)


@dataclass(slots=True)
class _Underway:
    """The exchanges of one backward pass; there is one for each part of the gradients."""

    works: list[dist.Work] = field(default_factory=list)


def _average(underway: _Underway, bucket: GradBucket) -> Future[Tensor]:
    work = dist.all_reduce(bucket.buffer().div_(dist.get_world_size()), async_op=True)
    underway.works.append(work)
    if bucket.is_last():  # nothing is left to compute meanwhile
        for each in underway.works:
            _wait(each)
        underway.works.clear()
    averaged: Future[Tensor] = work.get_future().then(lambda future: future.value()[0])
    return averaged


def meet() -> None:
    """Wait until all processes have called this."""
    summed(torch.zeros(1))


def _wait(work: dist.Work) -> None:
    """Raises RuntimeError where the exchange failed."""
    until = time.monotonic() + AWAKE_SECONDS
    while not work.is_completed() and time.monotonic() < until:
        os.sched_yield()
    work.wait()
