"""Tests of parquet files whose rows are the completions of all steps."""

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from diagnostics.readers.discovery import find
from diagnostics.readers.samples.parquet import Reader


def rollouts(file: Path, steps: list[int | None]) -> Path:
    count = range(len(steps))
    columns = {
        "step": steps,
        "prompt": [f"{row} + 1" for row in count],
        "completion": [str(row + 1) for row in count],
        "reward": [row / 2 for row in count],
    }
    pq.write_table(pa.table(columns), file, row_group_size=2)
    return file


def test_each_step_has_its_rows(tmp_path: Path) -> None:
    (ref,) = find(rollouts(tmp_path / "rollouts.parquet", [1, 1, 2, 3, 3]).parent)
    recording = Reader(ref.path).refresh()

    assert recording.samples.steps == (1, 2, 3)
    assert [(row.query, row.response, row.score) for row in recording.samples.at(3)] == [
        ("3 + 1", "4", 1.5),
        ("4 + 1", "5", 2.0),
    ]


def test_rows_without_a_step_are_counted_and_a_file_written_anew_is_read_anew(tmp_path: Path) -> None:
    reader = Reader(rollouts(tmp_path / "eval_rollouts.parquet", [1, None, 2]))
    first = reader.refresh()

    assert (first.malformed, first.samples.steps, first.samples.at(2)[0].split) == (1, (1, 2), "eval")
    assert reader.refresh() is first
    rollouts(tmp_path / "new.parquet", [5]).replace(reader.path)
    assert reader.refresh().samples.steps == (5,)


def test_a_table_of_metrics_and_trls_file_of_one_step_are_other_formats(tmp_path: Path) -> None:
    pq.write_table(pa.table({"step": [1], "loss": [0.5]}), tmp_path / "metrics.parquet")
    rollouts(tmp_path / "completions_00001.parquet", [1])

    assert {member.format for ref in find(tmp_path) for member in (ref, *ref.parts)} == {"table", "completions"}
