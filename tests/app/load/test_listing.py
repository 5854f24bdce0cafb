"""The list of runs appears at once, and stays up to date without reading anything twice."""

import shutil
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from app.load import listing
from app.load.listing import Listed, Listing
from app.load.runs import Snapshot
from diagnostics.runlog import RunLog

MORE_THAN_ARE_KEPT = 70


def write(directory: Path, last: int = 1, state: str = "finished") -> None:
    with RunLog(directory, algorithm="grpo", total=last) as log:
        for step in range(1, last + 1):
            log.log(step, {"reward": float(step)})
        log.close(state)


class Summaries:
    """Reports each run's last step, counts the requested runs, and blocks on demand."""

    def __init__(self) -> None:
        self.asked: list[str] = []
        self.may_speak = threading.Event()
        self.may_speak.set()

    def __call__(self, snapshot: Snapshot) -> int:
        assert self.may_speak.wait(30)
        run = snapshot.diagnosis.run
        self.asked.append(run.name)
        return int(run.steps[-1])


def steps_of(runs: Listing[int]) -> dict[str, int | None]:
    return {listed.ref.name: listed.summary for listed in runs.entries() or ()}


def wait_until(is_there: Callable[[], object]) -> None:
    deadline = time.monotonic() + 30
    while not is_there():
        assert time.monotonic() < deadline
        time.sleep(0.02)


@pytest.fixture(autouse=True)
def _short_interval(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(listing, "_INTERVAL", 0.05)


def test_names_are_there_before_anything_is_read(tmp_path: Path) -> None:
    for name in ("a", "b"):
        write(tmp_path / name)
    summaries = Summaries()
    summaries.may_speak.clear()
    runs = Listing([tmp_path], summaries)
    wait_until(lambda: steps_of(runs) == {"a": None, "b": None})
    assert not any(listed.is_read for listed in runs.entries() or ())
    summaries.may_speak.set()
    assert {listed.summary for listed in runs.entries(30) or ()} == {1}


def test_no_run_that_has_ended_is_read_twice_however_many_there_are(tmp_path: Path) -> None:
    for number in range(MORE_THAN_ARE_KEPT):
        write(tmp_path / f"{number}")
    summaries = Summaries()
    runs = Listing([tmp_path], summaries)
    assert len(runs.entries(60) or ()) == MORE_THAN_ARE_KEPT
    write(tmp_path / "new")
    wait_until(lambda: steps_of(runs).get("new"))
    assert sorted(summaries.asked) == sorted([*map(str, range(MORE_THAN_ARE_KEPT)), "new"])


def test_other_folders_are_listed_without_reading_again_what_they_share(tmp_path: Path) -> None:
    for name in ("one/a", "two/b"):
        write(tmp_path / name)
    summaries = Summaries()
    first = Listing([tmp_path / "one"], summaries)
    first.entries(30)
    both = Listing([tmp_path / "one", tmp_path / "two"], summaries, before=first)
    assert len(both.entries(30) or ()) == 2
    assert summaries.asked == ["a", "b"]


def test_what_a_run_gained_is_told_also_after_its_end(tmp_path: Path) -> None:
    write(tmp_path / "a")
    runs = Listing([tmp_path], Summaries())
    assert {listed.summary for listed in runs.entries(30) or ()} == {1}
    shutil.rmtree(tmp_path / "a")
    write(tmp_path / "a", last=3)
    wait_until(lambda: steps_of(runs) == {"a": 3})


def test_what_one_training_of_a_text_gained_is_told_also_after_its_end(tmp_path: Path) -> None:
    row, end = "{{'loss': 0.5, 'epoch': {epoch}}}\n", "{'train_runtime': 1.5, 'epoch': 2}\n"
    text = f"{row.format(epoch=1)}{end}{row.format(epoch=1)}{end}"
    (tmp_path / "train.log").write_text(text)
    runs = Listing([tmp_path], Summaries())
    wait_until(lambda: [*steps_of(runs).values()] == [1, 1])
    (tmp_path / "train.log").write_text(text.replace(end, row.format(epoch=2) + end))
    wait_until(lambda: [*steps_of(runs).values()] == [2, 2])


def test_a_growing_run_is_followed_and_one_that_is_gone_is_left_out(tmp_path: Path) -> None:
    write(tmp_path / "gone")
    with RunLog(tmp_path / "grows", algorithm="grpo") as log:
        log.log(1, {"reward": 1.0})
        runs = Listing([tmp_path], Summaries())
        wait_until(lambda: steps_of(runs) == {"gone": 1, "grows": 1})
        log.log(2, {"reward": 2.0})
        shutil.rmtree(tmp_path / "gone")
        wait_until(lambda: steps_of(runs) == {"grows": 2})


def test_a_mistake_in_one_run_is_told_there_and_hides_no_other(tmp_path: Path) -> None:
    for name in ("a", "b"):
        write(tmp_path / name)

    def summarise(snapshot: Snapshot) -> str:
        return {"a": "read"}[snapshot.diagnosis.run.name]

    found: list[Listed[str]] = Listing([tmp_path], summarise).entries(30) or []
    told = {listed.ref.name: listed.summary or listed.error for listed in found}
    mistake = f"{tmp_path / 'b'} cannot be read, which is a mistake of rlvitals; please report it: KeyError('b')"
    assert told == {"a": "read", "b": mistake}


def test_nobody_works_when_nobody_asks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(listing, "_IDLE", 0.1)
    write(tmp_path / "a")
    runs = Listing([tmp_path], Summaries())
    runs.entries(30)
    (worker,) = (thread for thread in threading.enumerate() if thread.name == f"runs below {tmp_path}")
    wait_until(lambda: not worker.is_alive())
    write(tmp_path / "b")
    wait_until(lambda: steps_of(runs) == {"a": 1, "b": 1})
