"""A model in shared memory: several processes clip and step it as one that has all their gradients would."""

from pathlib import Path

import pytest

from tests.trainer.acceleration.parallel.process_group import said_by_the_first
from trainer.acceleration.parallel.shared_model import assign_owners

pytestmark = pytest.mark.process

LIKE_ONE = """
import io
from torch.optim import AdamW
from trainer.acceleration.parallel.shared_model import SharedModel

SIZES = ((4, 3), (7,), (), (50, 20), (5, 5, 5), (9,))

def parameters(seed):
    generator = torch.Generator().manual_seed(seed)
    return [torch.nn.Parameter(torch.randn(size, generator=generator)) for size in SIZES]

def gradients(turn, of_rank):
    generator = torch.Generator().manual_seed(10 + 100 * turn + of_rank)
    drawn = [torch.randn(size, generator=generator) for size in SIZES]
    return drawn[:-1] + [None if of_rank else drawn[-1]]  # no row of the others passed through the last one

def optimizer_of(values):
    return AdamW([{"params": values[:2], "lr": 0.1}, {"params": values[2:], "lr": 0.02}], weight_decay=0.1)

own, alone = parameters(rank), parameters(0)  # those of the first count
optimizer, expected = optimizer_of(own), optimizer_of(alone)
model = SharedModel.of(optimizer)
for turn, max_norm in enumerate((1e6, 1.0, 1e6)):
    for parameter, gradient in zip(own, gradients(turn, rank)):
        parameter.grad = gradient
    for parameter, of_all in zip(alone, zip(*(gradients(turn, other) for other in range(processes)))):
        parameter.grad = sum(gradient for gradient in of_all if gradient is not None)
    norm = model.clip_gradients(max_norm)
    torch.testing.assert_close(norm, torch.nn.utils.clip_grad_norm_(alone, max_norm))
    held = {number for number, parameter in enumerate(own) if parameter.grad is not None}
    assert held == {number for number, owner in enumerate(model.owner_N) if owner == rank}
    for number in held:
        torch.testing.assert_close(own[number].grad, alone[number].grad)
    optimizer.step()
    expected.step()
    optimizer.zero_grad()
    for parameter, other in zip(own, alone):
        torch.testing.assert_close(parameter.data, other.data)
    if turn == 1:  # continue from what is saved
        state = optimizer.state_dict()
        if rank == 0:
            torch.testing.assert_close(state["state"], expected.state_dict()["state"])
        saved = [state]
        dist.broadcast_object_list(saved)
        optimizer.load_state_dict(saved[0])
        assert {number for number, parameter in enumerate(own) if parameter in optimizer.state} == held

file = io.BytesIO()
torch.save(own[0], file)
assert file.tell() < 3000, "a parameter alone is saved"
print("like one")
leave()
"""
NOT_A_NUMBER = """
from torch.optim import AdamW
from trainer.acceleration.parallel.shared_model import SharedModel

parameters = [torch.nn.Parameter(torch.ones(3)) for _ in range(4)]
model = SharedModel.of(AdamW(parameters))
for parameter in parameters:
    parameter.grad = torch.full((3,), float("nan") if rank else 1.0)
print(float(model.clip_gradients(1.0)))
leave()
"""
NOT_ON_ONE_MACHINE = """
from torch.optim import AdamW
from trainer.acceleration.parallel.shared_model import SharedModel

print(SharedModel.of(AdamW([torch.nn.Parameter(torch.ones(3))])))
leave()
"""


@pytest.mark.parametrize("processes", [2, 3])
def test_several_processes_clip_and_step_as_one(tmp_path: Path, processes: int) -> None:
    assert said_by_the_first(LIKE_ONE, tmp_path, processes, share_a_machine=True) == "like one"


def test_a_gradient_that_is_no_number_is_in_the_norm_of_all(tmp_path: Path) -> None:
    assert said_by_the_first(NOT_A_NUMBER, tmp_path, share_a_machine=True) == "nan"


def test_processes_of_several_machines_share_no_model(tmp_path: Path) -> None:
    assert said_by_the_first(NOT_ON_ONE_MACHINE, tmp_path) == "None"


@pytest.mark.parametrize(
    ("sizes", "processes", "owner_of_each"),
    [
        ([5, 3, 3, 1], 2, [0, 1, 1, 0]),
        ([1, 1, 1, 9], 2, [1, 1, 1, 0]),
        ([4], 3, [0]),
        ([2, 2, 2], 3, [0, 1, 2]),
        ([], 2, []),
    ],
)
def test_each_process_owns_about_as_much(sizes: list[int], processes: int, owner_of_each: list[int]) -> None:
    assert assign_owners(sizes, processes) == owner_of_each
