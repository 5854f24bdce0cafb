"""Tests of slots and sweeps: which job starts next and on what, and which points a grid has."""

from pathlib import Path

import pytest

from diagnostics.runlog.process import ProcessIdentity
from trainer.launch import LaunchError
from trainer.launch.queue import Queue
from trainer.launch.queue.job import Job, Spec, State
from trainer.launch.queue.slots import Slots, next_starts, variables_of
from trainer.launch.queue.submitting import await_beginning
from trainer.launch.queue.sweep import variants


def spec(asks: str) -> Spec:
    return Spec(name=asks, words=("x",), argv=("x",), cwd=Path("/"), asks=asks)


def queued(tmp_path: Path, *asks: str) -> list[Job]:
    queue = Queue(tmp_path / "queue")
    queue.set_slots(cpu=2, gpu=2)
    return queue.add([spec(one) for one in asks])


def starts(jobs: list[Job], busy: set[str]) -> list[tuple[int, str]]:
    return [(job.id, slot) for job, slot in next_starts(jobs, Slots(2, 2), busy)]


def test_each_job_gets_a_slot_of_the_kind_that_it_asks_for(tmp_path: Path) -> None:
    jobs = queued(tmp_path, "gpu", "cpu", "gpu-1", "gpu")
    assert starts(jobs, set()) == [(1, "gpu-0"), (2, "cpu-1"), (3, "gpu-1")]


class TakenUpOnceSeen(Queue):
    """A queue whose jobs are taken up, by this process, right after anybody has looked at them."""

    def job(self, number: int) -> Job:
        seen = super().job(number)
        self.claim(number, "cpu-1", ProcessIdentity.current())
        return seen

    def jobs(self) -> list[Job]:
        seen = super().jobs()
        for job in seen:
            self.claim(job.id, "cpu-1", ProcessIdentity.current())
        return seen


def test_a_job_that_is_taken_up_between_two_looks_was_never_told_to_wait(tmp_path: Path) -> None:
    queue = TakenUpOnceSeen(tmp_path / "queue")
    queue.set_slots(cpu=1, gpu=0)
    (job,) = queue.add([spec("cpu")])
    assert await_beginning(job, queue).state is State.RUNNING


def test_a_taken_kind_holds_up_no_other(tmp_path: Path) -> None:
    jobs = queued(tmp_path, "gpu-1", "gpu-1", "cpu", "cpu", "cpu")
    assert starts(jobs, {"gpu-1", "cpu-1"}) == [(3, "cpu-2")]


def test_a_job_sees_its_own_gpu_or_none() -> None:
    assert variables_of("gpu-3") == {"CUDA_VISIBLE_DEVICES": "3"}
    assert variables_of("cpu-1") == {"CUDA_VISIBLE_DEVICES": ""}


def test_what_no_slot_could_ever_take_is_refused_and_nothing_else_of_it_is_queued(tmp_path: Path) -> None:
    queue = Queue(tmp_path / "queue")
    queue.set_slots(cpu=1, gpu=0)
    with pytest.raises(LaunchError, match="no slot here takes a job that asks for 'gpu-7'; the slots are cpu-1"):
        queue.add([spec("cpu"), spec("gpu-7")])
    assert queue.jobs() == []


def test_a_machine_asks_for_a_gpu_where_it_has_one() -> None:
    assert (Slots(2, 1).usual, Slots(2, 0).usual) == ("gpu", "cpu")


def test_names_that_are_no_utf8_survive_the_queue(tmp_path: Path) -> None:
    odd = Spec(name="a\udcff", words=("x\udcff",), argv=("x\udcff",), cwd=Path("/\udcff"), run_dir=Path("/b\udcff"))
    queue = Queue(tmp_path / "queue")
    queue.set_slots(cpu=1, gpu=0)
    assert queue.add([odd])[0].spec == odd


def test_a_grid_has_every_combination_with_every_seed() -> None:
    points = variants({"learning_rate": ["1e-5", "1e-4"], "beta": ["0"]}, ["1", "2"])
    assert [point.name for point in points] == [
        "learning_rate-1e-5-beta-0-seed-1",
        "learning_rate-1e-5-beta-0-seed-2",
        "learning_rate-1e-4-beta-0-seed-1",
        "learning_rate-1e-4-beta-0-seed-2",
    ]
    assert points[0].words == (("--learning_rate", "1e-5"), ("--beta", "0"), ("--seed", "1"))


def test_a_value_becomes_part_of_a_folders_name_without_leading_out_of_it() -> None:
    (point,) = variants({"dataset": ["../../etc/x y"]}, [])
    assert point.name == "dataset-.._.._etc_x_y"


def test_a_sweep_that_is_too_large_is_refused() -> None:
    with pytest.raises(LaunchError, match="has 1,000 points, and one may have 500"):
        variants({"a": [str(n) for n in range(100)], "b": [str(n) for n in range(10)]}, [])
