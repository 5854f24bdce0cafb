"""Collective operations between CPU processes that spin before they sleep.

A process that sleeps until a message arrives leaves its core idle, and a virtual machine may take milliseconds to get
an idle core back, longer than it takes to exchange the gradients of a small model. So every wait starts by spinning,
and yields the core to any other runnable thread (the communication threads, above all); a long wait goes to sleep.

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
"""Engineering default: a longer wait, for a slow reward say, loses little by sleeping."""


def gather_shares(share: Tensor, processes: int) -> Tensor:
    """(P, …) the shares of all processes, in rank order; every share must have the same shape."""
    shares = share.new_empty(processes, *share.shape)
    _wait(dist.all_gather(list(shares.unbind(0)), share.contiguous(), async_op=True))
    return shares


def sum_over_processes(own: Tensor) -> Tensor:
    """The sum over all processes."""
    total = own.clone()
    _wait(dist.all_reduce(total, async_op=True))
    return total


def average_gradients_awake(model: DistributedDataParallel) -> None:
    """Average this model's gradients over its processes like torch's DDP, but with the faster waits on CPUs."""
    model.register_comm_hook(_Underway(), _average)


@dataclass(slots=True)
class _Underway:
    """The pending all-reduces of one backward pass, one for each gradient bucket."""

    works: list[dist.Work] = field(default_factory=list)


def _average(underway: _Underway, bucket: GradBucket) -> Future[Tensor]:
    work = dist.all_reduce(bucket.buffer().div_(dist.get_world_size()), async_op=True)
    underway.works.append(work)
    if bucket.is_last():  # no computation is left to overlap with
        for each in underway.works:
            _wait(each)
        underway.works.clear()
    averaged: Future[Tensor] = work.get_future().then(lambda future: future.value()[0])
    return averaged


def wait_for_all() -> None:
    """Wait until all processes have called this."""
    sum_over_processes(torch.zeros(1))


def _wait(work: dist.Work) -> None:
    """Raises RuntimeError if the exchange failed."""
    until = time.monotonic() + AWAKE_SECONDS
    while not work.is_completed() and time.monotonic() < until:
        os.sched_yield()
    work.wait()
