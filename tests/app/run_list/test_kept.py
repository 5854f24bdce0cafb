"""Summaries outlive the process, say the same as before, and hold only for what they were made of."""

import os
import time
from pathlib import Path
from shutil import copytree

import pytest

from app.load.listing import Listed, Listing
from app.load.runs import Snapshot
from app.run_list import kept
from app.run_list.kept import KeptSummaries
from app.run_list.summary import Summary, summary
from diagnostics.readers import cache
from diagnostics.runlog import EVENTS_FILE, RunLog

SAMPLE_RUNS = Path(__file__).parents[3] / "sample_runs"
YEARS_AGO = 1_600_000_000.0
LATER = 10_000_000_000  # nanoseconds


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return cache.folder()


class Reader:
    """Summarises runs, and counts them."""

    def __init__(self) -> None:
        self.read: list[str] = []

    def __call__(self, snapshot: Snapshot) -> Summary:
        self.read.append(snapshot.run.path.stem)
        return summary(snapshot)


def listed(folder: Path) -> tuple[list[Listed[Summary]], list[str]]:
    """What a process that has just begun lists, and the runs that it has read for that."""
    reader = Reader()
    found = Listing([folder], reader, None, KeptSummaries()).entries(60) or []
    return found, sorted(reader.read)


def write(folder: Path, value: float = 1.0, state: str = "finished") -> None:
    with RunLog(folder, algorithm="grpo", total=5) as log:
        for step in range(1, 6):
            log.log(step, {"reward": value})
        log.close(state)


def test_the_sample_runs_are_listed_as_before_without_reading_one(tmp_path: Path) -> None:
    runs = copytree(SAMPLE_RUNS, tmp_path / "sample_runs")  # one that is open elsewhere in this process is read twice
    before, read = listed(runs)
    again, read_again = listed(runs)
    assert repr(again) == repr(before)  # NaN is not equal to itself
    assert len(read) == len(before) > 5
    assert read_again == []


def test_a_reward_that_is_not_finite_is_kept_as_it_is(tmp_path: Path) -> None:
    write(tmp_path / "runs" / "broken", float("-inf"))
    listed(tmp_path / "runs")
    (again,), read = listed(tmp_path / "runs")
    assert read == []
    assert again.summary is not None
    assert again.summary.last == float("-inf")


def test_a_run_that_has_changed_is_read_again(tmp_path: Path) -> None:
    for name in ("changed", "same"):
        write(tmp_path / "runs" / name)
    listed(tmp_path / "runs")
    events = tmp_path / "runs" / "changed" / EVENTS_FILE
    events.write_bytes(events.read_bytes().replace(b"1.0", b"2.0"))
    os.utime(events, ns=(time.time_ns() + LATER,) * 2)
    found, read = listed(tmp_path / "runs")
    assert read == ["changed"]
    assert {item.ref.name: item.summary.last for item in found if item.summary} == {"changed": 2.0, "same": 1.0}


def test_a_run_that_trains_is_read_each_time_and_one_that_is_silent_for_years_is_not(tmp_path: Path) -> None:
    training = RunLog(tmp_path / "runs" / "training", algorithm="grpo", total=9)
    training.log(1, {"reward": 1.0})
    rows = "".join(f'{{"step": {step}, "reward": 1.0, "timestamp": {YEARS_AGO + step}}}\n' for step in range(1, 9))
    (tmp_path / "runs" / "silent").mkdir()
    (tmp_path / "runs" / "silent" / "metrics.jsonl").write_text(rows)
    assert listed(tmp_path / "runs")[1] == ["metrics", "training"]
    assert listed(tmp_path / "runs")[1] == ["training"]
    training.close("finished")


@pytest.mark.parametrize("what", ["_code", "datetime"])
def test_another_version_of_the_code_or_another_day_reads_everything(
    what: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path / "runs" / "one")
    listed(tmp_path / "runs")
    monkeypatch.setattr(kept, what, (lambda: "newer") if what == "_code" else Tomorrow)
    assert listed(tmp_path / "runs")[1] == ["one"]
    assert listed(tmp_path / "runs")[1] == []


class Tomorrow:
    """A clock that is a day ahead."""

    @staticmethod
    def now(zone: object) -> "Tomorrow":
        return Tomorrow()

    def __format__(self, form: str) -> str:
        return "2999-01-01"


@pytest.mark.parametrize("damage", [b"", b"{", b'{"facts": {}}', b'"text"'])
def test_a_damaged_entry_is_none(damage: bytes, tmp_path: Path, own_cache: Path) -> None:
    write(tmp_path / "runs" / "one")
    before, _ = listed(tmp_path / "runs")
    (entry,) = (file for file in own_cache.iterdir() if str(tmp_path).encode() in file.read_bytes())
    content = entry.read_bytes()
    entry.write_bytes(content[: content.index(b"\n") + 1] + damage)
    again, read = listed(tmp_path / "runs")
    assert (again, read) == (before, ["one"])
    assert listed(tmp_path / "runs")[1] == []
