"""Sums through shared memory: the means of all processes, and no memory where one process cannot have it."""

from pathlib import Path

import pytest

from tests.trainer.process_group import said_by_the_first
from trainer.shared_sums import aligned, mapped

MEANS = """
from pathlib import Path
from trainer.shared_sums import SharedSums, aligned

def meet():
    dist.all_reduce(torch.zeros(1))

def values(of_rank, turn):
    generator = torch.Generator().manual_seed(1000 * turn + of_rank)
    sizes = ((1, torch.float32), (7, torch.float32), (70_001, torch.float32), (333, torch.bfloat16))
    return [torch.randn(size, generator=generator).to(dtype) for size, dtype in sizes]

def files():
    return set(Path("/dev/shm").glob("rlvitals-*"))

before = files()
sums = SharedSums.of(sum(aligned(part.nbytes) for part in values(0, 0)), meet)
assert rank or files() <= before, "a name would be left behind where all are killed from here on"
for turn in range(5):
    own = values(rank, turn)
    sums.average(own)
    for place, part in enumerate(own):
        expected = torch.stack([values(other, turn)[place].double() for other in range(processes)]).mean(0)
        torch.testing.assert_close(part.double(), expected, rtol=0, atol=1e-6 if part.dtype == torch.float32 else 0.03)
        of_all = [torch.empty_like(part) for _ in range(processes)]
        dist.all_gather(of_all, part)
        assert all(torch.equal(part, other) for other in of_all)
print("means")
leave()
"""
NO_ROOM = """
import resource
from trainer.shared_sums import SharedSums

if rank == 0:
    resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))
assert SharedSums.of(10_000, dist.barrier) is None
print("none")
leave()
"""


@pytest.mark.parametrize("processes", [2, 3])
def test_every_process_gets_the_mean_of_all(tmp_path: Path, processes: int) -> None:
    assert said_by_the_first(MEANS, tmp_path, processes, share_a_machine=True) == "means"


def test_where_one_has_no_room_for_the_memory_none_has_it(tmp_path: Path) -> None:
    assert said_by_the_first(NO_ROOM, tmp_path, share_a_machine=True) == "none"


def test_processes_of_several_machines_share_nothing(tmp_path: Path) -> None:
    script = "from trainer.shared_sums import SharedSums\nprint(SharedSums.of(100, dist.barrier))\nleave()"
    assert said_by_the_first(script, tmp_path) == "None"


def test_a_file_of_another_process_is_not_taken_for_the_first_ones(tmp_path: Path) -> None:
    """A container of its own sees another folder of the same name."""
    file = tmp_path / "file"
    assert mapped(str(file), 100, b"0" * 16) is None
    assert not file.exists()
    file.write_bytes(b"1" * 100)
    assert mapped(str(file), 100, b"0" * 16) is None
    assert mapped(str(file), 100, b"1" * 16) is not None


@pytest.mark.parametrize(("size", "taken"), [(0, 0), (1, 64), (64, 64), (65, 128)])
def test_tensors_begin_at_a_line_of_the_cache(size: int, taken: int) -> None:
    assert aligned(size) == taken
