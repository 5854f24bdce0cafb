import os
import subprocess
import sys

import pytest

from trainer.acceleration.parallel.cores import keep_to_own_cores, own_share

pytestmark = pytest.mark.process

SAYS_ITS_CORES = """
import os, threading
from trainer.acceleration.parallel.cores import keep_to_own_cores
waits = threading.Event()
other = threading.Thread(target=waits.wait)
other.start()
keep_to_own_cores()
print(sorted(os.sched_getaffinity(0)), sorted(os.sched_getaffinity(other.native_id)))
waits.set()
"""

needs_two_cores = pytest.mark.skipif(
    not hasattr(os, "sched_getaffinity") or len(os.sched_getaffinity(0)) < 2, reason="needs Linux and two cores"
)


def cores_of_threads(rank: int, count: int, **options: object) -> str:
    """What a new process, started as one of several, says of the cores of its two threads."""
    environment = {**os.environ, "LOCAL_RANK": str(rank), "LOCAL_WORLD_SIZE": str(count)}
    command = [sys.executable, "-c", SAYS_ITS_CORES]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True, **options)
    return done.stdout.strip()


@pytest.mark.parametrize("count", [1, 2, 3, 4])
def test_the_shares_are_all_cores_and_none_twice(count):
    cores = set(range(10))
    shares = [own_share(cores, rank, count) for rank in range(count)]
    assert sorted(core for share in shares for core in share) == sorted(cores)
    assert {len(share) for share in shares} <= {10 // count, 10 // count + 1}


@needs_two_cores
def test_each_of_two_processes_keeps_every_thread_to_its_half():
    allowed = os.sched_getaffinity(0)
    for rank in (0, 1):
        own = sorted(own_share(allowed, rank, 2))
        assert cores_of_threads(rank, 2) == f"{own} {own}"


@needs_two_cores
def test_a_process_alone_and_one_of_more_than_there_are_cores_keep_all():
    allowed = os.sched_getaffinity(0)
    everything = f"{sorted(allowed)} {sorted(allowed)}"
    assert cores_of_threads(0, 1) == cores_of_threads(0, len(allowed) + 1) == everything


@needs_two_cores
def test_cores_that_differ_from_the_launcher_s_were_given_and_are_kept():
    allowed = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {min(allowed)})
    try:
        printed = cores_of_threads(1, 2, preexec_fn=lambda: os.sched_setaffinity(0, allowed))
    finally:
        os.sched_setaffinity(0, allowed)
    assert printed == f"{sorted(allowed)} {sorted(allowed)}"


@needs_two_cores
def test_a_thread_that_has_ended_meanwhile_is_passed_over(tmp_path, monkeypatch):
    ended = subprocess.Popen([sys.executable, "-c", ""])
    ended.wait()
    (tmp_path / str(ended.pid)).touch()
    monkeypatch.setattr("trainer.acceleration.parallel.cores._THREADS", tmp_path)
    monkeypatch.setenv("LOCAL_WORLD_SIZE", "2")
    before = os.sched_getaffinity(0)
    keep_to_own_cores()
    assert os.sched_getaffinity(0) == before
