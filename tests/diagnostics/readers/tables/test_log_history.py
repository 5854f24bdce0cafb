"""Tests of log histories in JSON files of any name: which files hold one, and what becomes of their rows."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from diagnostics.api import find_runs, open_run
from diagnostics.readers.base import UnreadableRun
from diagnostics.readers.tables.log_history import HEAD_BYTES, Reader
from diagnostics.readers.tensorboard import reader as tensorboard
from tests.diagnostics.readers.consoles import FIXTURES, points

ROWS = [{"loss": 0.5, "reward": 0.25, "epoch": 0.1, "step": 5}, {"loss": 0.25, "reward": 0.5, "epoch": 0.2, "step": 10}]
SUMMARY = {"train_runtime": 3.0, "train_loss": 0.5, "epoch": 0.2, "step": 10}


def written(folder: Path, document: Any, name: str = "step_logs.json") -> Path:
    file = folder / name
    file.write_text(document if isinstance(document, str) else json.dumps(document))
    return file


def test_the_history_of_a_checkpoint_says_what_the_event_file_says(tmp_path: Path) -> None:
    out = FIXTURES / "trl" / "ppo112_nmb1" / "out"
    state = json.loads((out / "checkpoint-8" / "trainer_state.json").read_text())
    (folder,) = (out / "runs").iterdir()
    logged = tensorboard.Reader(folder).refresh().tags
    found = Reader(written(tmp_path, state["log_history"])).refresh()

    assert len(found.tags) > 15
    for tag, series in found.tags.items():
        truth = logged.get(f"train/{tag}", logged.get(tag))
        assert truth is not None, tag
        np.testing.assert_allclose(series.values, truth.values[: len(series.values)], rtol=1e-6)


def test_a_list_of_rows_is_a_run_with_its_evaluations_apart(tmp_path: Path) -> None:
    file = written(tmp_path, [*ROWS, {"eval_reward": 0.75, "step": 10}])

    (ref,) = find_runs(tmp_path)
    recording = Reader(file).refresh()

    assert (ref.path, ref.format) == (file, "log-history")
    assert points(recording, "reward") == [(5, 0.25), (10, 0.5)]
    assert points(recording, "eval/reward") == [(10, 0.75)]
    assert (recording.status.state, recording.status.step, recording.malformed) == ("unknown", 10, 0)


def test_the_row_that_sums_up_says_that_the_training_ended(tmp_path: Path) -> None:
    recording = Reader(written(tmp_path, [*ROWS, SUMMARY])).refresh()

    assert recording.status.state == "finished"
    assert "train_runtime" not in recording.tags


def test_a_state_of_any_name_tells_the_planned_steps(tmp_path: Path) -> None:
    file = written(tmp_path, {"best_metric": None, "log_history": ROWS, "max_steps": 40}, "final.json")

    assert [ref.path for ref in find_runs(tmp_path)] == [file]
    assert open_run(file).status.total == 40


def test_the_column_of_steps_may_have_another_name(tmp_path: Path) -> None:
    recording = Reader(written(tmp_path, [{"global_step": 3, "loss": 0.5}, {"loss": 1.0}, 7])).refresh()

    assert points(recording, "loss") == [(3, 0.5)]
    assert (recording.malformed, recording.notes) == (2, ("the column global_step counts the steps",))


@pytest.mark.parametrize("steps", [(5.0, 10.0), ("5/50", "10/50")])
def test_steps_are_read_in_every_form_by_which_they_are_recognised(steps: tuple[Any, Any], tmp_path: Path) -> None:
    rows = [{"step": step, "loss": 0.5} for step in steps]

    recording = Reader(written(tmp_path, rows)).refresh()

    assert points(recording, "loss") == [(5, 0.5), (10, 0.5)]
    assert recording.malformed == 0


def test_a_first_row_that_is_long_is_a_row(tmp_path: Path) -> None:
    names = {f"layer/{number}/gradient": 0.5 for number in range(20_000)}
    file = written(tmp_path, [{**names, "step": 1}])

    assert HEAD_BYTES / 2 < file.stat().st_size < HEAD_BYTES
    assert len(find_runs(tmp_path)) == 1


@pytest.mark.parametrize(
    "document",
    [
        [],
        {},
        [1, 2],
        [{"name": "a", "score": 1}],
        [{"step": 1}],
        [{"step": "first", "loss": 0.5}],
        [{"step": 1, "prompt": "2 + 2", "response": "4", "score": 1.0}],
        {"history": [{"step": 1, "width": 0.5}, {"step": 2, "width": 0.7}]},
        {"reward": 0.5, "results": [{"reward": 0.5, "name": "a"}, {"reward": 0.7, "name": "b"}]},
        {"reward": [0.1, 0.2, 0.3]},
        {"scores": [0.5] * 20, "ages": [30] * 20},
        {"n": 20, "data": [{"step": 1, "score": 0.5}] * 20},
        {"n": 20, "data": [{"rank": rank, "score": 0.5} for rank in range(20)]},
        {"reward": ["0.5"] * 20, "loss": [[0.5]] * 20},
        "[" * 100_000,
        '[{"step": 1, "loss": ',
        '[{"step": 1, "a": ' + "[" * 200 + "]" * 200 + "}]",
    ],
    ids=lambda document: str(document)[:30],
)
def test_another_document_is_no_run(document: Any, tmp_path: Path) -> None:
    file = written(tmp_path, document)

    assert find_runs(tmp_path) == []
    with pytest.raises(UnreadableRun, match="is not a log history"):
        Reader(file).refresh()


def test_scores_at_rising_steps_below_another_key_are_rows(tmp_path: Path) -> None:
    file = written(tmp_path, {"n": 12, "data": [{"step": 50 * row, "score": row / 20} for row in range(12)]})

    assert points(Reader(file).refresh(), "score") == [(50 * row, row / 20) for row in range(12)]


REWARDS, LOSSES = [row / 10 for row in range(12)], [0.5] * 11 + [None]


@pytest.mark.parametrize(
    ("document", "first"),
    [
        ({"config": {"lr": 1e-5}, "history": [{"step": 2 * row, "rewards": row / 10} for row in range(12)]}, 0),
        ([{"rewards": row / 10, "losses": 0.5} for row in range(12)], 1),
        ([{"iteration": row, "rewards": row / 10} for row in range(12)], 0),
        ([{"step": row, "metrics": {"rewards": row / 10}} for row in range(12)], 0),
        ({"rewards": REWARDS, "losses": LOSSES}, 1),
        ({"steps": list(range(12)), "rewards": REWARDS, "names": ["a"] * 12, "losses": LOSSES[:11]}, 0),
        ({"run": "a", "metrics": {"train": {"rewards": REWARDS, "losses": LOSSES}}}, 1),
    ],
    ids=["below a key", "counted", "iterations", "nested", "columns", "columns with steps", "columns below keys"],
)
def test_rows_and_columns_are_found_wherever_they_are(tmp_path: Path, document: Any, first: int) -> None:
    written(tmp_path, document)

    (ref,) = find_runs(tmp_path)
    recording = Reader(ref.path).refresh()

    found = points(recording, "rewards")
    assert [value for _, value in found] == REWARDS
    assert found[0][0] == first
    assert recording.malformed == 0


def test_rows_of_which_a_part_is_nested_deeper_are_found_below_a_key(tmp_path: Path) -> None:
    rows = [{"step": row, "metrics": {"reward": {"mean": row / 10}}} for row in range(12)]
    written(tmp_path, {"config": {"lr": 1e-6}, "history": rows})

    assert points(Reader(find_runs(tmp_path)[0].path).refresh(), "reward/mean") == [
        (row, row / 10) for row in range(12)
    ]


def test_json_lines_in_a_file_that_is_called_json_are_rows(tmp_path: Path) -> None:
    lines = [json.dumps({"step": row, "reward": row / 10}) for row in range(5)]
    (tmp_path / "metrics.json").write_text("\n".join(lines))

    assert points(Reader(find_runs(tmp_path)[0].path).refresh(), "reward") == [(row, row / 10) for row in range(5)]
    (tmp_path / "metrics.json").write_text(f"{lines[0]}\n")
    assert find_runs(tmp_path) == []


def test_of_several_places_the_one_with_the_most_rows_is_the_training(tmp_path: Path) -> None:
    rows = [{"step": row, "reward": row / 10} for row in range(12)]
    written(tmp_path, {"eval": [{"step": 3, "reward": 9.0}], "train": rows})

    assert len(Reader(tmp_path / "step_logs.json").refresh().tags["reward"].values) == 12
