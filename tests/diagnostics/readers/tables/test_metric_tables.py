"""Tests of plain metric logs: which files are some, which column counts steps, and how values are read."""

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow
import pyarrow.parquet
import pytest

from diagnostics.api import open_run
from diagnostics.model.outcome import Verdict
from diagnostics.readers.discovery import find
from diagnostics.readers.files.tail import CHUNK_BYTES, HEAD_BYTES
from diagnostics.readers.tables.metric_tables import Reader
from diagnostics.rules import evaluate


def points(recording: Any, tag: str) -> list[tuple[int, float]]:
    return list(zip(recording.tags[tag].steps.tolist(), recording.tags[tag].values.tolist(), strict=True))


def test_verls_file_logger_is_read_and_its_null_is_what_nan_became(tmp_path: Path) -> None:
    (tmp_path / "exp.jsonl").write_text(
        '{"step":1,"data":{"critic/score/mean":0.5,"actor/ppo_kl":null}}\n'
        '{"step":2,"data":{"critic/score/mean":0.6,"actor/ppo_kl":0.1}}\n'
    )

    (ref,) = find(tmp_path)
    recording = Reader(ref.path).refresh()

    assert points(recording, "critic/score/mean") == [(1, 0.5), (2, 0.6)]
    assert np.array_equal([np.nan, 0.1], recording.tags["actor/ppo_kl"].values, equal_nan=True)


def test_a_log_that_names_no_times_is_not_called_stalled_while_it_grows(tmp_path: Path) -> None:
    file = tmp_path / "exp.jsonl"
    file.write_text("".join(f'{{"step":{step},"data":{{"actor/ppo_kl":0.1}}}}\n' for step in range(1, 61)))
    run = open_run(file)

    (stalled,) = (outcome for outcome in evaluate(run) if outcome.rule == "run-stalled")
    assert (run.status.state, stalled.verdict) == ("running", Verdict.SKIPPED)


def test_ms_swifts_steps_say_how_many_there_will_be(tmp_path: Path) -> None:
    row = {"loss": 0.5, "global_step/max_steps": "5/100", "elapsed_time": "3m"}
    (tmp_path / "logging.jsonl").write_text(json.dumps(row) + "\n")

    recording = Reader(tmp_path / "logging.jsonl").refresh()

    assert points(recording, "loss") == [(5, 0.5)]
    assert recording.status.total == 100


def test_a_csv_keeps_nan_and_infinity_and_leaves_empty_cells_out(tmp_path: Path) -> None:
    (tmp_path / "progress.csv").write_text("step,loss,kl\n1,0.5,nan\n2,,inf\n3,0.25,-inf\n")

    recording = Reader(tmp_path / "progress.csv").refresh()

    assert points(recording, "loss") == [(1, 0.5), (3, 0.25)]
    assert np.array_equal([np.nan, np.inf, -np.inf], recording.tags["kl"].values, equal_nan=True)


@pytest.mark.parametrize("column", ["Step", "STEP", "Global_Step", "global_step"])
def test_a_column_of_steps_may_be_written_in_capitals(column: str, tmp_path: Path) -> None:
    (tmp_path / "log.csv").write_text(f"{column},Training Loss,reward\n10,0.5,0.25\n20,0.25,0.5\n")

    (ref,) = find(tmp_path)
    recording = Reader(ref.path).refresh()

    assert points(recording, "reward") == [(10, 0.25), (20, 0.5)]
    assert (recording.notes[0], recording.malformed) == (f"the column {column} counts the steps", 0)


def test_the_index_that_pandas_writes_is_no_metric(tmp_path: Path) -> None:
    (tmp_path / "log.csv").write_text(",step,loss\n0,10,0.5\n1,20,0.25\n")

    assert list(Reader(tmp_path / "log.csv").refresh().tags) == ["loss"]


def test_a_curve_from_tensorboards_page_has_its_times(tmp_path: Path) -> None:
    (tmp_path / "curve.csv").write_text("Wall time,Step,Value\n1700000000.5,1,0.5\n1700000060.5,2,0.25\n")

    values = Reader(tmp_path / "curve.csv").refresh().tags["Value"]
    assert (values.steps.tolist(), values.values.tolist()) == ([1, 2], [0.5, 0.25])
    assert values.times.tolist() == [1700000000.5, 1700000060.5]


def test_a_line_with_too_few_cells_is_counted(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("step,loss\n1,0.5\n2\n3,0.125\n")

    recording = Reader(tmp_path / "a.csv").refresh()

    assert points(recording, "loss") == [(1, 0.5), (3, 0.125)]
    assert recording.malformed == 1


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("data.jsonl", '{"prompt": "2+2=", "answer": 4}\n'),
        ("people.csv", "name,age\nada,36\n"),
        ("only.jsonl", '{"step": 1, "note": "text"}\n'),
        ("empty.csv", ""),
        ("broken.jsonl", "{"),
    ],
)
def test_what_counts_no_steps_or_holds_no_number_is_no_run(tmp_path: Path, name: str, text: str) -> None:
    (tmp_path / name).write_text(text)

    assert find(tmp_path) == []


def test_a_parquet_table_is_read(tmp_path: Path) -> None:
    table = pyarrow.table({"step": [1, 2], "loss": [0.5, math.nan], "note": ["a", "b"], "kl": [None, 0.25]})
    pyarrow.parquet.write_table(table, tmp_path / "log.parquet")

    (ref,) = find(tmp_path)
    recording = Reader(ref.path).refresh()

    assert np.array_equal([0.5, np.nan], recording.tags["loss"].values, equal_nan=True)
    assert points(recording, "kl") == [(2, 0.25)]


def test_a_large_parquet_table_is_read_once(tmp_path: Path) -> None:
    count = CHUNK_BYTES // 8 + 1  # more bytes than are read at once
    table = pyarrow.table({"step": range(count), "loss": np.random.default_rng(0).random(count)})
    pyarrow.parquet.write_table(table, tmp_path / "log.parquet")
    reader = Reader(tmp_path / "log.parquet")
    first = reader.refresh()

    assert reader.refresh() is first
    assert len(first.tags["loss"].values) == count


def test_a_wide_header_that_grew_wider_begins_the_csv_anew(tmp_path: Path) -> None:
    file, names = tmp_path / "progress.csv", [f"metric/{number}" for number in range(HEAD_BYTES)]
    file.write_text(",".join(["step", *names]) + "\n" + ",".join(["1", *["0.5"] * len(names)]) + "\n")
    reader = Reader(file)
    reader.refresh()
    wider = [line + more for line, more in zip(file.read_text().splitlines(), (",kl", ","), strict=True)]
    file.write_text("\n".join([*wider, ",".join(["2", *["0.25"] * len(names), "1.5"])]) + "\n")

    recording = reader.refresh()

    assert points(recording, "metric/0") == [(1, 0.5), (2, 0.25)]
    assert (points(recording, "kl"), recording.malformed) == ([(2, 1.5)], 0)


def test_a_number_beyond_a_floats_range_is_infinite(tmp_path: Path) -> None:
    (tmp_path / "log.jsonl").write_text('{"step": 1, "loss": 1e400}\n{"step": 2, "loss": -1e400}\n')

    recording = Reader(tmp_path / "log.jsonl").refresh()

    assert points(recording, "loss") == [(1, math.inf), (2, -math.inf)]
