"""FIFOs, sockets, devices, folders, loops of links and sparse files in the place of a log's files."""

import json
import os
import socket
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from diagnostics.api import LiveRun, UnreadableRun, find_runs, open_run
from diagnostics.readers.wandb.tables import WandbTables
from diagnostics.runlog import CONSOLE_FILE, EVENTS_FILE, RUN_FILE, SAMPLES_FILE, STATUS_FILE, RunLog
from tests.diagnostics.readers.bounded import command

TERABYTE = 10**12
LOGS = (
    *("trainer_state.json", "rollout_info.jsonl", "wandb-export.json", "run-x.wandb", "run-x.swanlab", "x.db"),
    *("meta.yaml", "log_1.txt", "a.jsonl", "a.csv", "a.parquet", "completions_1.parquet", "completions_00001.jsonl"),
    *("events.out.tfevents.1.h.1.0", "train.log", "traces.jsonl", "0001.yaml", "episode_hash1_id1.json"),
    *("progress.json", "hparams.yml", "rlvitals.toml", "train.ipynb", "step_logs.json"),
)


def listen(path: Path) -> None:
    here = Path.cwd()
    os.chdir(path.parent)  # the address of a socket is short
    try:
        socket.socket(socket.AF_UNIX).bind(path.name)
    finally:
        os.chdir(here)


def sparse(path: Path) -> None:
    path.touch()
    os.truncate(path, TERABYTE)


SPECIAL: dict[str, Callable[[Path], object]] = {
    "FIFO": os.mkfifo,
    "socket": listen,
    "device": lambda path: path.symlink_to("/dev/urandom"),
    "folder": Path.mkdir,
    "loop": lambda path: path.symlink_to(path.name),
    "sparse": sparse,
}


def each_kind(root: Path) -> Iterator[tuple[Path, Callable[[Path], object]]]:
    for kind, make in SPECIAL.items():
        (root / kind).mkdir()
        yield root / kind, make


@pytest.mark.process
@pytest.mark.parametrize("name", LOGS)
def test_what_is_no_log_is_passed_over_or_told_in_a_sentence(name: str, tmp_path: Path) -> None:
    for folder, make in each_kind(tmp_path):
        place = folder / "step_1" / "train" / "all"
        place.mkdir(parents=True)
        make(place / name)
    with RunLog(tmp_path / "good", algorithm="grpo") as log:
        log.log(1, {"reward": 1.0})

    answer = command("runs", tmp_path)
    assert "good" in answer.out
    assert "Traceback" not in answer.err


def opened(path: Path) -> list[int] | str:
    """The steps of a run, or the sentence why it cannot be read."""
    try:
        series = open_run(path).series
    except UnreadableRun as error:
        return error.sentence
    return series["reward"].steps.tolist() if "reward" in series else []


@pytest.mark.parametrize(
    ("name", "kinds"),
    [
        (RUN_FILE, ()),
        (STATUS_FILE, tuple(SPECIAL)),
        (EVENTS_FILE, ("loop", "sparse")),
        (SAMPLES_FILE, tuple(SPECIAL)),
        (CONSOLE_FILE, tuple(SPECIAL)),
    ],
)
def test_a_special_file_in_a_run_is_named_or_costs_nothing_else(
    name: str, kinds: tuple[str, ...], tmp_path: Path
) -> None:
    for folder, make in each_kind(tmp_path):
        with RunLog(folder / "run", algorithm="grpo") as log:
            log.log(1, {"reward": 1.0})
        (folder / "run" / name).unlink(missing_ok=True)
        make(folder / "run" / name)
        found = opened(folder / "run")
        if folder.name in kinds:
            assert found == ([] if name == EVENTS_FILE else [1])
        else:
            assert f"{name} cannot be read: " in str(found)


def test_a_status_that_cannot_be_read_is_noted(tmp_path: Path) -> None:
    for folder, make in each_kind(tmp_path):
        with RunLog(folder / "run", algorithm="grpo") as log:
            log.log(1, {"reward": 1.0})
        (folder / "run" / STATUS_FILE).unlink()
        make(folder / "run" / STATUS_FILE)
        (note,) = open_run(folder / "run").notes
        assert note.startswith("status.json cannot be read: ")


def test_samples_that_cannot_be_read_cost_themselves_alone(tmp_path: Path) -> None:
    with RunLog(tmp_path, algorithm="grpo") as log:
        log.log(1, {"reward": 1.0})
    (tmp_path / SAMPLES_FILE).unlink()
    os.mkfifo(tmp_path / SAMPLES_FILE)

    run = open_run(tmp_path)
    assert run.series["reward"].steps.tolist() == [1]
    assert "samples.jsonl cannot be read: it is a FIFO, not a file" in run.notes


def test_a_run_says_where_its_log_was_never_written(tmp_path: Path) -> None:
    with RunLog(tmp_path, algorithm="grpo") as log:
        log.log(1, {"reward": 1.0})
    size = (tmp_path / EVENTS_FILE).stat().st_size
    os.truncate(tmp_path / EVENTS_FILE, TERABYTE)

    run = open_run(tmp_path)
    assert run.series["reward"].steps.tolist() == [1]
    (note,) = (note for note in run.notes if "never written" in note)
    assert EVENTS_FILE in note
    assert "the next 1 TB were never written" in note
    assert size < 10_000


def test_a_log_that_grows_behind_a_hole_which_is_filled_goes_on(tmp_path: Path) -> None:
    with RunLog(tmp_path, algorithm="grpo") as log:
        log.log(1, {"reward": 1.0})
    file = tmp_path / EVENTS_FILE
    size, line = file.stat().st_size, file.read_bytes()
    os.truncate(file, size + 10**9)
    live = LiveRun(tmp_path)
    assert live.refresh() is not None
    os.truncate(file, size)
    file.open("ab").write(line.replace(b'"step":1', b'"step":2'))
    run = live.refresh()
    assert run is not None
    assert run.series["reward"].steps.tolist() == [1, 2]


def test_a_wandb_table_behind_a_loop_of_links_is_no_sample(tmp_path: Path) -> None:
    (tmp_path / "loop").symlink_to("loop")
    tables = WandbTables()
    tables.add("completions", 1, tmp_path, {"_type": "table-file", "path": "loop/x.table.json"})

    assert tables.snapshot(frozenset()).steps == ()


@pytest.mark.parametrize("name", ["x" * 5000, "a\0b", "x/" * 3000])
def test_a_path_that_the_system_refuses_is_told_in_a_sentence(name: str, tmp_path: Path) -> None:
    assert find_runs(tmp_path / name) == []
    with pytest.raises(UnreadableRun) as raised:
        open_run(tmp_path / name)
    assert len(raised.value.sentence) < 600


@pytest.mark.parametrize("kind", ["FIFO", "socket", "device", "loop"])
def test_a_special_file_that_is_named_itself_is_no_run(kind: str, tmp_path: Path) -> None:
    SPECIAL[kind](tmp_path / "x.jsonl")

    assert find_runs(tmp_path / "x.jsonl") == []
    with pytest.raises(UnreadableRun, match=r"not a file|does not exist"):
        open_run(tmp_path / "x.jsonl")


def test_file_systems_of_the_kernel_are_not_searched() -> None:
    assert find_runs("/proc") == []
    assert find_runs("/sys") == []
    assert find_runs("/dev/pts") == []


@pytest.mark.process
def test_links_to_folders_above_end(tmp_path: Path) -> None:
    with RunLog(tmp_path / "a" / "run", algorithm="grpo") as log:
        log.log(1, {"reward": 1.0})
    (tmp_path / "a" / "up").symlink_to(tmp_path)
    (tmp_path / "a" / "root").symlink_to("/proc")

    answer = command("runs", tmp_path, "--format", "json")
    assert len(json.loads(answer.out)["runs"]) == 1
