"""Exports hold every point and every sample of a run, exactly, and no spreadsheet runs what they say."""

import csv
import io
import json
import math
from pathlib import Path

import pytest

from diagnostics.api import open_run
from diagnostics.exports import samples_as_lines, series_as_csv, series_as_lines, write_samples, write_series
from diagnostics.model.run import Run
from diagnostics.runlog import RunLog

parquet = pytest.importorskip("pyarrow.parquet")

NAN, INFINITY = float("nan"), float("inf")
VALUES = [0.1, NAN, INFINITY, -INFINITY, 1e-300, 0.30000000000000004]
FORMULA = "=cmd|' /C calc'!A0"


@pytest.fixture
def run(tmp_path: Path) -> Run:
    with RunLog(tmp_path / "run", algorithm="grpo", total=len(VALUES)) as log:
        for step, value in enumerate(VALUES, start=1):
            log.log(step, {"reward": value, FORMULA: 1.0, '@a,"b"\n': 2.0})
    samples = [
        {
            "step": 1,
            "query": "=1+1",
            "response": "half \ud800 \u202e",
            "score": 0.5,
            "reward/len": NAN,
            "terminated": True,
        },
        {
            "step": 2,
            "query": "q",
            "response": "\x1b[31m",
            "score": NAN,
            "advantage": -INFINITY,
            "note": {"a": [1, NAN]},
        },
    ]
    lines = "".join(json.dumps(sample) + "\n" for sample in samples)
    (tmp_path / "run" / "samples.jsonl").write_text(lines)
    return open_run(tmp_path / "run")


def same(one: float, other: float) -> bool:
    return one == other or (math.isnan(one) and math.isnan(other))


def test_csv_holds_every_number_exactly_and_no_cell_is_a_formula(run: Run) -> None:
    rows = list(csv.DictReader(io.StringIO("".join(series_as_csv(run)))))

    rewards = [float(row["value"]) for row in rows if row["tag"] == "reward"]
    assert all(map(same, VALUES, rewards))
    assert len(rewards) == len(VALUES)
    texts = {row["tag"] for row in rows}
    assert f"'{FORMULA}" in texts
    assert not [text for text in texts if text[0] in "=+-@"]
    assert {row["metric"] for row in rows if row["tag"] == "reward"} == {"reward"}


def test_parquet_and_json_lines_hold_the_same_points_as_logged(run: Run) -> None:
    file = io.BytesIO()
    write_series(run, file)
    table = parquet.read_table(io.BytesIO(file.getvalue())).to_pylist()
    lines = [json.loads(line) for line in series_as_lines(run)]

    assert [(row["tag"], row["step"], row["replaced"]) for row in table] == [
        (line["tag"], line["step"], line["replaced"]) for line in lines
    ]
    assert all(map(same, VALUES, [row["value"] for row in table if row["tag"] == "reward"]))
    assert FORMULA in {row["tag"] for row in table}
    assert all(row["time"] == line["time"] for row, line in zip(table, lines, strict=True))


def test_samples_are_written_as_logged(run: Run) -> None:
    file = io.BytesIO()
    write_samples(run, file)
    first, second = parquet.read_table(io.BytesIO(file.getvalue())).to_pylist()
    lines = [json.loads(line) for line in samples_as_lines(run)]

    assert [row["query"] for row in lines] == ["=1+1", "q"] == [first["query"], second["query"]]
    assert first["response"] == "half ? \u202e"
    assert lines[1]["response"] == second["response"] == "\x1b[31m"
    assert math.isnan(second["score"])
    assert second["advantage"] == -INFINITY
    assert "\x1b" not in "".join(samples_as_lines(run))


def test_a_run_without_points_or_samples_is_an_empty_table(tmp_path: Path) -> None:
    RunLog(tmp_path / "run", algorithm="grpo").close("finished")
    run = open_run(tmp_path / "run")
    for write in (write_series, write_samples):
        file = io.BytesIO()
        write(run, file)
        assert parquet.read_table(io.BytesIO(file.getvalue())).num_rows == 0
    assert list(series_as_csv(run)) == ["metric,tag,unit,step,time,value,replaced\n"]
