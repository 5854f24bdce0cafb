"""Tests of the W&B reader beyond what every reader must do: W&B's own client writes, axes, tables, resumption."""

import json
import math
import os
import subprocess
import sys
import tracemalloc
from pathlib import Path
from typing import Any

import pytest
from wandb.proto.wandb_internal_pb2 import Record  # noqa: TID253 - W&B's own messages are what is read

from diagnostics.foreign_files.bounds import SAMPLE_ROWS
from diagnostics.readers.base import UnreadableRun
from diagnostics.readers.discovery import find
from diagnostics.readers.wandb.offline import Reader

FIXTURES = Path(__file__).parents[3] / "fixtures" / "trl"
GRPO = next(FIXTURES.glob("grpo116/wandbdir/wandb/*"))

OFFLINE_RUN = """
import wandb
run = wandb.init(project="p", name="nightly", dir=".", config={"learning_rate": 1e-6, "nested": {"beta": 0.1}},
                 settings=wandb.Settings(silent=True, console="off"))
run.define_metric("trainer/updates")
run.define_metric("*", step_metric="trainer/updates", step_sync=True)
for update in range(1, 4):
    run.log({"trainer/updates": 10 * update, "kl": [0.5, float("nan"), float("-inf")][update - 1],
             "inner": {"deep": update}, "hist": wandb.Histogram([0.0, 1.0, 1.0])})
run.log({"rows": wandb.Table(columns=["prompt", "completion", "score"], data=[["2+2=", "4", 1.0], ["2+3=", "6", 0.0]])})
run.finish(exit_code=3)
"""


def points(recording: Any, tag: str) -> list[tuple[int, float]]:
    return list(zip(recording.tags[tag].steps.tolist(), recording.tags[tag].values.tolist(), strict=True))


@pytest.mark.process
def test_a_run_of_the_real_client_comes_back_whole(tmp_path: Path) -> None:
    environment = {**os.environ, "WANDB_MODE": "offline", "HOME": str(tmp_path)}
    subprocess.run([sys.executable, "-c", OFFLINE_RUN], cwd=tmp_path, env=environment, check=False, timeout=120)

    (ref,) = find(tmp_path)
    recording = Reader(ref.path).refresh()

    assert recording.name == "nightly"
    assert recording.config == {"learning_rate": 1e-6, "nested": {"beta": 0.1}}
    assert points(recording, "kl")[0] == (10, 0.5)
    assert math.isnan(points(recording, "kl")[1][1])
    assert points(recording, "kl")[2] == (30, -math.inf)
    assert points(recording, "inner.deep") == [(10, 1.0), (20, 2.0), (30, 3.0)]
    assert recording.histograms["hist"].bins[0].counts.sum() == 3
    assert "trainer/updates" not in recording.tags
    assert recording.status.state == "failed"
    assert [(row.query, row.response, row.score) for row in recording.samples.at(30)] == [
        ("2+2=", "4", 1.0),
        ("2+3=", "6", 0.0),
    ]


def test_a_trl_run_stands_on_the_trainers_steps_with_its_completions() -> None:
    recording = Reader(GRPO).refresh()

    assert points(recording, "train/reward")[0] == (1, 18.5)
    assert recording.samples.steps == (1, 2, 3, 4, 5, 6)
    first = recording.samples.at(1)[0]
    assert (first.query, first.rewards["length_reward"], first.group) == ("hello 6", 14.0, 0)
    assert "trl==1.16.0" in recording.text["requirements.txt"]
    assert (recording.status.state, recording.malformed, recording.notes) == ("finished", 0, ())


@pytest.mark.parametrize(("code", "state"), [(0, "finished"), (255, "stopped"), (1, "failed"), (-9, "failed")])
def test_the_exit_code_tells_how_a_run_ended(wandb_file: Any, code: int, state: str) -> None:
    wandb_file.write(1, {"loss": 1.0})
    end = Record()
    end.exit.exit_code = code
    wandb_file.append(end.SerializeToString())
    assert wandb_file.reader().refresh().status.state == state


def test_without_an_exit_record_a_quiet_run_is_silent(wandb_file: Any) -> None:
    wandb_file.write(1, {"loss": 1.0})
    os.utime(wandb_file.file, (1e9, 1e9))

    assert wandb_file.reader().refresh().status.state == "silent"


def test_a_resumed_run_is_one_run_over_its_folders(wandb_file: Any) -> None:
    wandb_file.write(1, {"loss": 1.0})
    second = type(wandb_file)(wandb_file.path.with_name("offline-run-20260102_000000-abc"))
    second.write(0, {"train/global_step": 2, "loss": 0.5})

    (ref,) = find(wandb_file.path.parent)

    assert points(Reader(ref.path).refresh(), "loss") == [(1, 1.0), (2, 0.5)]


def test_a_record_of_several_blocks_is_put_together(wandb_file: Any) -> None:
    record = Record()
    record.history.item.add(nested_key=["_step"], value_json="7")
    for number in range(5000):
        record.history.item.add(nested_key=[f"metric/{number}"], value_json="0.25")
    wandb_file.append(record.SerializeToString())
    wandb_file.write(8, {"loss": 1.0})

    recording = wandb_file.reader().refresh()

    assert len(recording.tags) == 5001
    assert points(recording, "metric/4999") == [(7, 0.25)]


def test_a_corrupt_length_costs_the_rest_of_its_block_and_no_more(wandb_file: Any) -> None:
    wandb_file.write(1, {"loss": 1.0})
    start = wandb_file.file.stat().st_size
    for step in range(2, 2000):
        wandb_file.write(step, {"loss": float(step)})
    content = bytearray(wandb_file.file.read_bytes())
    content[start + 4 : start + 6] = b"\xff\xff"
    wandb_file.file.write_bytes(bytes(content))

    steps = wandb_file.reader().refresh().tags["loss"].steps.tolist()

    assert steps[0] == 1
    assert steps[-1] == 1999
    assert steps[1] > 2
    assert wandb_file.reader().refresh().malformed == 1


def test_values_of_the_typed_encoding_are_read(wandb_file: Any) -> None:
    record = Record()
    record.history.item.add(nested_key=["_step"], integer=3)
    record.history.item.add(nested_key=["loss"], number=0.5)
    record.history.item.add(key="old", value_json="1.5")
    wandb_file.append(record.SerializeToString())

    recording = wandb_file.reader().refresh()

    assert (points(recording, "loss"), points(recording, "old")) == ([(3, 0.5)], [(3, 1.5)])


def test_a_histogram_that_declares_a_million_bins_costs_itself_and_no_memory(wandb_file: Any) -> None:
    packed = {"_type": "histogram", "values": [1], "packedBins": {"min": 0, "size": 1, "count": 10**6}}
    record = Record()
    record.history.item.add(nested_key=["h"], value_json=json.dumps(packed))
    record.history.item.add(nested_key=["_step"], value_json="1")
    wandb_file.append(record.SerializeToString())
    wandb_file.log(2, {"loss": 0.5})
    tracemalloc.start()
    try:
        recording = wandb_file.reader().refresh()
        _, most = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()

    assert most < 10_000_000
    assert (list(recording.tags), recording.histograms, recording.malformed) == (["loss"], {}, 1)


@pytest.mark.parametrize(("names", "value"), [(["h"], '{"a":' * 990 + "1" + "}" * 990), (["h"] * 2_000, "1")])
def test_an_item_that_nests_too_deep_costs_its_row(names: list[str], value: str, wandb_file: Any) -> None:
    record = Record()
    record.history.item.add(nested_key=names, value_json=value)
    wandb_file.append(record.SerializeToString())
    wandb_file.log(2, {"loss": 0.5})
    recording = wandb_file.reader().refresh()

    assert (list(recording.tags), recording.malformed) == (["loss"], 1)


def test_a_table_outside_of_the_run_is_not_opened(wandb_file: Any, tmp_path: Path) -> None:
    (tmp_path / "secret.json").write_text(json.dumps({"columns": ["prompt", "completion"], "data": [["a", "b"]]}))
    record = Record()
    record.history.item.add(nested_key=["_step"], value_json="1")
    record.history.item.add(nested_key=["t", "_type"], value_json='"table-file"')
    record.history.item.add(nested_key=["t", "path"], value_json='"../../secret.json"')
    wandb_file.append(record.SerializeToString())

    assert wandb_file.reader().refresh().samples.steps == ()


def test_a_file_of_another_kind_says_so(wandb_file: Any) -> None:
    wandb_file.file.write_bytes(b"not a log at all")

    with pytest.raises(UnreadableRun, match="no file of Weights & Biases"):
        wandb_file.reader().refresh()


def table(
    folder: Path, record: Any, key: str, name: str, columns: list[str], rows: list[list[Any]], **axis: int
) -> None:
    file = folder / "files" / "media" / "table" / name
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(json.dumps({"columns": columns, "data": rows}))
    declared = {"path": f"media/table/{name}", "nrows": len(rows), "ncols": len(columns), "size": file.stat().st_size}
    for axis_name, value in axis.items():
        record.history.item.add(nested_key=[axis_name.replace("__", "/")], value_json=str(value))
    record.history.item.add(nested_key=[key, "_type"], value_json='"table-file"')
    for name, value in declared.items():
        record.history.item.add(nested_key=[key, name], value_json=json.dumps(value))


def test_the_tables_of_training_and_evaluation_at_one_step_are_both_kept() -> None:
    samples = Reader(GRPO).refresh().samples

    assert [sample.split for sample in samples.at(4)] == ["train"] * 8 + ["eval"] * 8
    assert [sample.split for sample in samples.at(6)] == ["train"] * 8 + ["eval"] * 8  # logged again at the end


def test_verls_wide_and_growing_table_gives_each_step_its_own_row(wandb_file: Any) -> None:
    columns = ["step", "input_1", "output_1", "score_1", "input_2", "output_2", "score_2"]
    rows = [[0, "a", "b", 0.0, "c", "d", 1.0], [5, "e", "f", 0.5, "g", "h", math.nan]]
    for count, step in ((1, 0), (2, 5)):
        record = Record()
        table(
            wandb_file.path,
            record,
            "val/generations",
            f"g_{step}_{count}.table.json",
            columns,
            rows[:count],
            _step=step,
        )
        wandb_file.append(record.SerializeToString())

    samples = wandb_file.reader().refresh().samples

    assert samples.steps == (0, 5)
    assert [(row.query, row.response, row.split) for row in samples.at(5)] == [("e", "f", "eval"), ("g", "h", "eval")]
    assert math.isnan(samples.at(5)[1].score or 0.0)


@pytest.mark.parametrize(
    ("columns", "row", "notes", "count"),
    [
        (
            ["step", "prompt", "completion"],
            [1, "q", "a"],
            ("the first 10,000 completions of n_1_1.table.json, the longest table, are read (of 10,002)",),
            SAMPLE_ROWS,
        ),
        (["step", "name", "value"], [1, "n", 2], (), 0),
        (
            ["step", "prompt", "completion"],
            [1, "q", "a" * 6_600],
            (
                "n_1_1.table.json, the largest table, cannot be read: it holds 66 MB, "
                "and such a file is read up to 64 MB",
            ),
            0,
        ),
    ],
    ids=["completions", "something else", "too large a file"],
)
def test_a_table_beyond_a_bound_is_told_of(
    wandb_file: Any, columns: list[str], row: list[Any], notes: tuple[str, ...], count: int
) -> None:
    record = Record()
    table(wandb_file.path, record, "completions", "n_1_1.table.json", columns, [row] * (SAMPLE_ROWS + 2), _step=1)
    wandb_file.append(record.SerializeToString())

    recording = wandb_file.reader().refresh()

    assert notes == recording.notes
    assert count == len(recording.samples.at(1))


def test_openrlhfs_growing_table_of_whole_texts_gives_each_step_its_own_row(wandb_file: Any) -> None:
    rows = [[1, "Human: a Assistant: b", 0.5], [2, "Human: c Assistant: d", 0.25]]
    for step in (1, 2):
        record = Record()
        columns = ["global_step", "text", "reward"]
        table(
            wandb_file.path,
            record,
            "train/generated_samples",
            f"s_{step}_{step}.table.json",
            columns,
            rows[:step],
            _step=7 * step,
            train__global_step=step,
        )
        wandb_file.append(record.SerializeToString())

    samples = wandb_file.reader().refresh().samples

    assert [(row.response, row.score) for row in samples.at(2)] == [("Human: c Assistant: d", 0.25)]


def test_what_only_the_summary_holds_and_the_machines_metrics_are_read(wandb_file: Any) -> None:
    wandb_file.write(1, {"loss": 1.0, "_timestamp": 100.0})
    for seconds, load in ((101, "12.5"), (102, "50.0")):
        stats = Record()
        stats.stats.timestamp.seconds = seconds
        stats.stats.item.add(key="cpu", value_json=load)
        wandb_file.append(stats.SerializeToString())
    record = Record()
    record.summary.update.add(nested_key=["train_runtime"], value_json="3.5")
    record.summary.update.add(nested_key=["loss"], value_json="1.0")
    wandb_file.append(record.SerializeToString())
    end = Record()
    end.exit.exit_code = 0
    wandb_file.append(end.SerializeToString())

    recording = wandb_file.reader().refresh()

    assert points(recording, "train_runtime") == [(1, 3.5)]
    assert points(recording, "system/cpu") == [(1, 50.0)]
    assert points(recording, "loss") == [(1, 1.0)]
