"""Exchanges between two processes on the CPU: the same values as torch's own, and failures that are reported."""

from pathlib import Path

import pytest

from tests.trainer.acceleration.parallel.process_group import said_by_the_first

pytestmark = pytest.mark.process

SCRIPT = """
from torch.nn.parallel import DistributedDataParallel
from trainer.acceleration.parallel.exchange import average_gradients_awake, gather_shares, sum_over_processes

own = torch.tensor([[1.0, 2.0]]) * (rank + 1)
assert gather_shares(own, 2).tolist() == [[[1.0, 2.0]], [[2.0, 4.0]]]
assert sum_over_processes(own).tolist() == [[3.0, 6.0]]
assert own.tolist() == [[float(rank + 1), 2.0 * (rank + 1)]]

torch.manual_seed(0)
layers = torch.nn.Sequential(torch.nn.Linear(64, 512), torch.nn.Linear(512, 64))
inputs = torch.randn(2, 8, 64)[rank]
gradients = []
for is_awake in (False, True):
    model = DistributedDataParallel(layers, bucket_cap_mb=0.1, gradient_as_bucket_view=True)
    if is_awake:
        average_gradients_awake(model)
    for _ in range(2):
        layers.zero_grad()
        with model.no_sync():
            model(inputs).sum().backward()
        model(inputs).square().sum().backward()
    gradients.append([weight.grad.clone() for weight in layers.parameters()])
assert all(torch.equal(one, other) for one, other in zip(*gradients))

print("equal")
leave()
"""
OF_A_LOST_ONE = """
import os
from trainer.acceleration.parallel.exchange import sum_over_processes

sum_over_processes(torch.ones(2))
if rank == 1:
    os._exit(0)
try:
    sum_over_processes(torch.ones(2))
except RuntimeError as error:
    print("noticed", flush=True)
os._exit(0)  # connections that the group holds open can abort a process that ends normally
"""


def test_values_and_gradients_are_those_of_torch(tmp_path: Path) -> None:
    assert said_by_the_first(SCRIPT, tmp_path) == "equal"


def test_a_process_that_is_gone_is_told(tmp_path: Path) -> None:
    assert said_by_the_first(OF_A_LOST_ONE, tmp_path) == "noticed"
