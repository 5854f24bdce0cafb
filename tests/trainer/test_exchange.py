"""Exchanges between two processes on the CPU: the values of torch's own, and failures that are told."""

import subprocess
import sys

SCRIPT = """
import sys
import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel
from trainer.exchange import average_gradients_awake, gathered, summed

rank, store = int(sys.argv[1]), sys.argv[2]
dist.init_process_group("gloo", init_method=f"file://{store}", rank=rank, world_size=2)
own = torch.tensor([[1.0, 2.0]]) * (rank + 1)
assert gathered(own, 2).tolist() == [[[1.0, 2.0]], [[2.0, 4.0]]]
assert summed(own).tolist() == [[3.0, 6.0]]
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

if rank == 0:
    print("equal")
    sys.exit(0)
"""
OF_A_LOST_ONE = """
import sys
import torch
import torch.distributed as dist
from trainer.exchange import summed

rank, store = int(sys.argv[1]), sys.argv[2]
dist.init_process_group("gloo", init_method=f"file://{store}", rank=rank, world_size=2)
summed(torch.ones(2))
if rank == 1:
    sys.exit(0)
try:
    summed(torch.ones(2))
except RuntimeError as error:
    print("told")
"""


def said_by_the_first(script, folder):
    words = [sys.executable, "-P", "-c", script]
    both = [
        subprocess.Popen([*words, str(rank), str(folder / "store")], stdout=subprocess.PIPE, text=True)
        for rank in range(2)
    ]
    first, _ = [process.communicate(timeout=120)[0].strip() for process in both]
    assert [process.returncode for process in both] == [0, 0]
    return first


def test_values_and_gradients_are_those_of_torch(tmp_path):
    assert said_by_the_first(SCRIPT, tmp_path) == "equal"


def test_a_process_that_is_gone_is_told(tmp_path):
    assert said_by_the_first(OF_A_LOST_ONE, tmp_path) == "told"
