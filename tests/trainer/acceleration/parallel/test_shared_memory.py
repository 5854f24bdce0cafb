"""Memory shared by processes: all read what one writes, and if one cannot have it none does."""

from pathlib import Path

import pytest

from tests.trainer.acceleration.parallel.process_group import said_by_the_first
from trainer.acceleration.parallel.shared_memory import map_file

pytestmark = pytest.mark.process

PLACES = """
from pathlib import Path
from trainer.acceleration.parallel.shared_memory import shared_places

def files():
    return set(Path("/dev/shm").glob("rlvitals-*"))

before = files()
like = [torch.zeros(1), torch.zeros(3, 7), torch.zeros(333, dtype=torch.bfloat16), torch.zeros(70_001)]
copies = shared_places(like, 2)
assert rank or files() <= before, "a name would be left behind where all are killed from here on"
places = [place for copy in copies for place in copy]
assert [(place.shape, place.dtype) for place in places] == [(each.shape, each.dtype) for each in 2 * like]
assert all(place.data_ptr() % 64 == 0 for place in places)
assert all(place.untyped_storage().nbytes() == place.nbytes for place in places)
for turn in range(processes):
    dist.barrier()
    if turn == rank:
        for number, place in enumerate(places):
            place.fill_(100 * turn + number)
    dist.barrier()
    assert all((place == 100 * turn + number).all() for number, place in enumerate(places))
print("seen")
leave()
"""
NO_ROOM = """
import resource
from trainer.acceleration.parallel.shared_memory import shared_places

if rank == 0:
    resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))
assert shared_places([torch.zeros(1000)], 1) is None
print("none")
leave()
"""
NOT_ON_ONE_MACHINE = """
from trainer.acceleration.parallel.shared_memory import shared_places

print(shared_places([torch.zeros(5)], 1))
leave()
"""


@pytest.mark.parametrize("processes", [2, 3])
def test_what_one_process_writes_all_read(tmp_path: Path, processes: int) -> None:
    assert said_by_the_first(PLACES, tmp_path, processes, share_a_machine=True) == "seen"


def test_where_one_has_no_room_for_the_memory_none_has_it(tmp_path: Path) -> None:
    assert said_by_the_first(NO_ROOM, tmp_path, share_a_machine=True) == "none"


def test_processes_of_several_machines_share_nothing(tmp_path: Path) -> None:
    assert said_by_the_first(NOT_ON_ONE_MACHINE, tmp_path) == "None"


def test_a_file_of_another_process_is_not_taken_for_the_first_ones(tmp_path: Path) -> None:
    """A container of its own sees another folder of the same name."""
    file = tmp_path / "file"
    assert map_file(str(file), 100, b"0" * 16) is None
    assert not file.exists()
    file.write_bytes(b"1" * 100)
    assert map_file(str(file), 100, b"0" * 16) is None
    assert map_file(str(file), 101, b"1" * 16) is None
    assert map_file(str(file), 100, b"1" * 16) is not None
