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


@pytest.mark.parametrize("name", ["run-a-tag-train_acc.csv", "run-reward-tag-train_acc.csv", "train_reward.csv"])
def test_a_curve_from_tensorboards_page_is_called_as_its_file_says(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_text("Wall time,Step,Value\n1700000000.5,1,0.5\n1700000060.5,2,0.25\n")

    tag = "train_reward" if name == "train_reward.csv" else "train_acc"
    assert points(Reader(tmp_path / name).refresh(), tag) == [(1, 0.5), (2, 0.25)]


def test_numbers_below_a_name_have_both_names(tmp_path: Path) -> None:
    row = {"step": 1, "metrics": {"reward": {"mean": 0.5, "std": 0.1}, "kl": 0.2}, "texts": {"best": "a"}}
    (tmp_path / "log.jsonl").write_text(json.dumps(row) + "\n")

    tags = Reader(tmp_path / "log.jsonl").refresh().tags
    assert {tag: series.values.tolist() for tag, series in tags.items()} == {
        "reward/mean": [0.5],
        "reward/std": [0.1],
        "kl": [0.2],
    }


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


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("metrics.jsonl", "".join(f'{{"mean_reward": {row / 10}, "kl": 0.1}}\n' for row in range(12))),
        ("metrics.csv", "mean_reward,kl\n" + "".join(f"{row / 10},0.1\n" for row in range(12))),
        ("metrics.tsv", "mean_reward\tkl\n" + "".join(f"{row / 10}\t0.1\n" for row in range(12))),
        ("semicolons.csv", "mean_reward;kl\n" + "".join(f"{row / 10};0.1\n" for row in range(12))),
    ],
)
def test_rows_of_a_training_that_name_no_step_are_counted(tmp_path: Path, name: str, content: str) -> None:
    file = tmp_path / name
    file.write_text(content)

    (ref,) = find(tmp_path)
    recording = Reader(ref.path).refresh()

    assert points(recording, "mean_reward") == [(row + 1, row / 10) for row in range(12)]
    assert (recording.notes[0], recording.malformed) == ("no column counts the steps, so the rows are counted", 0)


@pytest.mark.parametrize(
    "content",
    [
        "math score,reading score\n" + "70,80\n" * 20,
        "reward,kl\n" + "0.5,0.1\n" * 9,
        "reward,answer\n" + "0.5,a sentence that is a good deal longer than any word of a row\n" * 20,
        "reward,note\n" + "0.5,good\n" * 20,
        "height,width\n" + "1.5,2.5\n" * 20,
    ],
    ids=["scores", "too few", "texts", "one number", "no training"],
)
def test_other_tables_without_a_step_are_no_runs(tmp_path: Path, content: str) -> None:
    (tmp_path / "table.csv").write_text(content)
    assert find(tmp_path) == []


def test_settings_before_the_first_row_are_no_row(tmp_path: Path) -> None:
    rows = [
        {"event": "config", "lr": 1e-6, "kl_coef": 0.1},
        *({"event": "step", "step": 3 * at, "loss": at} for at in (1, 2)),
    ]
    file = tmp_path / "train_log.jsonl"
    file.write_text("".join(f"{json.dumps(row)}\n" for row in rows))

    (ref,) = find(tmp_path)
    recording = Reader(ref.path).refresh()

    assert points(recording, "loss") == [(3, 1.0), (6, 2.0)]
    assert (set(recording.tags), recording.malformed) == ({"loss"}, 0)


@pytest.mark.parametrize(
    ("row", "settings"),
    [
        ({"event": "config", "lr": 1e-6, "kl_coef": 0.1}, {"lr": 1e-6, "kl_coef": 0.1}),
        ({"type": "config", "argv": ["a.py"], "args": {"lr": 1e-6}}, {"argv": ["a.py"], "lr": 1e-6}),
        ({"event": "start", "config": {"lr": 1e-6, "seed": 7}}, {"lr": 1e-6, "seed": 7}),
        ({"Hyperparameters": {"lr": 1e-6}}, {"lr": 1e-6}),
        ({"event": "start", "lr": 1e-6}, {}),
        ({"step": 0, "loss": 0.0, "config": {"lr": 1e-6}}, {}),
        ({"args": 3}, {}),
    ],
)
def test_a_row_of_settings_is_read_as_such(tmp_path: Path, row: dict[str, Any], settings: dict[str, Any]) -> None:
    rows = [row, *({"step": 3 * at, "loss": float(at)} for at in (1, 2))]
    file = tmp_path / "train_log.jsonl"
    file.write_text("".join(f"{json.dumps(row)}\n" for row in rows))

    recording = Reader(file).refresh()

    assert recording.config == settings
    assert points(recording, "loss")[-2:] == [(3, 1.0), (6, 2.0)]


@pytest.mark.parametrize("column", ["iteration", "Iteration", "rollout", "grpo_step", "update"])
def test_a_column_called_like_a_step_counts_them(tmp_path: Path, column: str) -> None:
    file = tmp_path / "metrics.csv"
    file.write_text(f"time_per_step,{column},Mean Reward\n" + "".join(f"7,{5 * row},0.5\n" for row in range(3)))

    assert points(Reader(file).refresh(), "Mean Reward") == [(0, 0.5), (5, 0.5), (10, 0.5)]


def test_metrics_that_are_nested_in_a_row_keep_their_names(tmp_path: Path) -> None:
    file = tmp_path / "metrics.jsonl"
    file.write_text('{"step": 4, "phase": "train", "metrics": {"reward": 0.5, "kl": null}}\n')

    (ref,) = find(tmp_path)
    tags = Reader(ref.path).refresh().tags

    assert (set(tags), tags["reward"].values.tolist()) == ({"reward", "kl"}, [0.5])
    assert math.isnan(tags["kl"].values[0])
