"""Logs of a size that nobody writes: each is read up to a bound, within seconds and bounded memory, and says so."""

import json
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from diagnostics.api import find_runs, open_run
from diagnostics.configs.config_files import UnreadableConfigurationError, setup_of_file
from diagnostics.foreign_files.bounds import FOLDER_FILES, LINE_BYTES
from diagnostics.runlog import EVENTS_FILE, RunLog
from tests.diagnostics.readers.bounded import command

LONG_LINE = 50_000_000


def rows_of(steps: range, text: str = "") -> bytes:
    rows = ({"step": step, "loss": 0.5, **({"text": text} if text else {})} for step in steps)
    return b"".join(json.dumps(row).encode() + b"\n" for row in rows)


def test_a_line_beyond_the_bound_costs_itself_alone(tmp_path: Path) -> None:
    file = tmp_path / "log.jsonl"
    too_long = b'{"step": 2, "text": "' + b"x" * (LINE_BYTES + 1) + b'", "loss": 0.5}\n'
    file.write_bytes(rows_of(range(1, 2)) + too_long + rows_of(range(3, 5)))

    run = open_run(file)
    assert run.series["loss"].steps.tolist() == [1, 3, 4]
    assert run.data_health.malformed == 1
    assert "lines of log.jsonl with more than 32 MB were skipped: 1" in run.notes


def test_a_line_below_the_bound_is_read(tmp_path: Path) -> None:
    file = tmp_path / "log.jsonl"
    file.write_bytes(rows_of(range(1, 2)) + rows_of(range(2, 3), "x" * (LINE_BYTES // 2)) + rows_of(range(3, 4)))

    assert open_run(file).series["loss"].steps.tolist() == [1, 2, 3]


@pytest.mark.process
@pytest.mark.parametrize("name", ["samples.jsonl", "train.log", "log.csv", "log_1.txt", "events.jsonl"])
def test_one_line_of_50_mb(name: str, tmp_path: Path) -> None:
    with RunLog(tmp_path / "run", algorithm="grpo") as log:
        log.log(1, {"reward": 1.0})
    folder = tmp_path / "run" if name in ("samples.jsonl", "events.jsonl") else tmp_path
    with (folder / name).open("ab") as file:
        file.write(b'{"step": 1, "query": "a", "response": "' + b"x" * LONG_LINE + b'"}\n')

    assert "run" in command("runs", tmp_path).out
    assert command("diagnose", tmp_path / "run").code == 0


@pytest.mark.process
def test_a_parquet_file_that_declares_20_million_rows(tmp_path: Path) -> None:
    pa, pq = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    count, parts = 1_000_000, 20
    ones, texts = pa.array(np.ones(count, dtype=np.int64)), pa.DictionaryArray.from_arrays(np.zeros(count, int), ["x"])
    table = pa.table({"step": ones, "prompt": texts.cast(pa.string()), "completion": texts.cast(pa.string())})
    metrics = pa.table({"step": ones, "loss": pa.array(np.full(count, 0.5))})
    for name, part in (("samples.parquet", table), ("metrics.parquet", metrics)):
        with pq.ParquetWriter(tmp_path / name, part.schema) as writer:
            for _ in range(parts):
                writer.write_table(part)

    answer = command("diagnose", tmp_path, "--format", "json")
    assert answer.code in (0, 1)
    assert "of 20,000,000" in " ".join(open_run(tmp_path / "metrics.parquet").notes)


def test_a_parquet_file_within_the_bound_is_read_whole(tmp_path: Path) -> None:
    pa, pq = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    steps = np.arange(3000)
    pq.write_table(pa.table({"step": steps, "loss": steps * 0.5}), tmp_path / "metrics.parquet", row_group_size=100)

    run = open_run(tmp_path / "metrics.parquet")
    assert steps.tolist() == run.series["loss"].steps.tolist()
    assert not [note for note in run.notes if "were read" in note]


def test_the_rows_of_a_step_are_found_in_any_row_group(tmp_path: Path) -> None:
    pa, pq = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    steps = np.repeat(np.arange(10), 50)
    nested = [{"a": 1, "b": 2}] * len(steps)  # its two leaves come before the step's
    table = pa.table({"extra": nested, "step": steps, "prompt": ["p"] * len(steps), "completion": ["c"] * len(steps)})
    pq.write_table(table, tmp_path / "samples.parquet", row_group_size=75)

    samples = open_run(tmp_path / "samples.parquet").samples
    assert list(range(10)) == list(samples.steps)
    assert [len(samples.load(step)) for step in samples.steps] == [50] * 10


def many_files(folder: Path, count: int) -> None:
    folder.mkdir()
    for number in range(count):
        (folder / f"log_{number:06d}x.jsonl").write_bytes(b'{"step": 1, "loss": 0.5}\n')


def test_the_first_files_of_many_are_looked_at_and_a_warning_says_so(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    many_files(tmp_path / "many", FOLDER_FILES + 1)

    assert len(find_runs(tmp_path / "many")) == FOLDER_FILES
    assert ["of each kind the first 1,000 by name" in message for message in caplog.messages] == [True]


@pytest.mark.slow
def test_a_folder_of_100_000_small_files(tmp_path: Path) -> None:
    many_files(tmp_path / "many", 100_000)

    answer = command("runs", tmp_path)
    assert answer.code == 0
    assert "the first 1,000 by name" in answer.err


YAML = {
    "a line of 10 MB": "a: " + "x" * 10_000_000,
    "a list of 10 MB": "a: [" + "1, " * 3_000_000 + "1]",
    "open brackets": "a: " + "[" * 100_000,
    "references that multiply": "a: &a [x,x,x,x,x,x,x,x,x]\n"
    + "\n".join(f"{name}: &{name} [{','.join([f'*{before}'] * 9)}]" for before, name in pairwise("abcdefghi")),
    "a reference to itself": "a: &a [*a]",
}


@pytest.mark.parametrize("text", YAML.values(), ids=YAML)
def test_yaml_that_is_too_much_is_told_in_a_sentence(text: str, tmp_path: Path) -> None:
    (tmp_path / "config.yaml").write_text(text)

    with pytest.raises(UnreadableConfigurationError, match=r"read up to|nests deeper|reference|cannot read"):
        setup_of_file(tmp_path / "config.yaml")


def test_a_whole_number_of_10_000_digits_costs_its_own_field(tmp_path: Path) -> None:
    with RunLog(tmp_path, algorithm="grpo") as log:
        log.log(1, {"reward": 1.0})
    with (tmp_path / EVENTS_FILE).open("ab") as file:
        file.write(b'{"step": 2, "time": 1, "metrics": {"reward": 2.0, "kl": 1' + b"0" * 10_000 + b"}}\n")

    run = open_run(tmp_path)
    assert run.series["reward"].steps.tolist() == [1, 2]
    assert run.data_health.malformed == 1


HISTOGRAMS = {
    "a huge count": {"edges": [0, 1], "counts": [10**400]},
    "a huge edge": {"edges": [0, 10**400], "counts": [1]},
    "endlessly many NaN": {"edges": [0, 1], "counts": [1], "nan": float("inf")},
    "more NaN than fit": {"edges": [0, 1], "counts": [1], "nan": 10**30},
    "fewer than none": {"edges": [0, 1], "counts": [1], "inf": -1},
}


@pytest.mark.parametrize("bins", HISTOGRAMS.values(), ids=HISTOGRAMS)
def test_a_histogram_beyond_numbers_costs_itself_alone(bins: dict[str, object], tmp_path: Path) -> None:
    with RunLog(tmp_path, algorithm="grpo") as log:
        log.log(1, {"reward": 1.0})
    row = {"step": 2, "time": 1.0, "metrics": {"reward": 2.0}, "histograms": {"bad": bins}}
    with (tmp_path / EVENTS_FILE).open("ab") as file:
        file.write(json.dumps(row).encode() + b"\n")

    run = open_run(tmp_path)
    assert run.series["reward"].steps.tolist() == [1, 2]
    assert dict(run.histograms) == {}
    assert run.data_health.malformed == 1
