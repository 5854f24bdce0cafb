"""Tests of tables in a W&B run's folder that no row names, as of a run that died before its row was written."""

import json
import math
import os
from pathlib import Path
from typing import Any

import pytest

from diagnostics.foreign_files.bounds import SAMPLE_ROWS, WHOLE_FILE_BYTES
from diagnostics.model.recording import Recording

HASH = "dbbce2de660fd2b91436"
COLUMNS = ["query", "response", "reward"]


def table(run: Path, name: str, rows: list[list[Any]], columns: list[str] = COLUMNS) -> Path:
    file = run / "files" / "media" / "table" / f"{name}_{HASH}.table.json"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(json.dumps({"columns": columns, "data": rows}))
    return file


def responses(recording: Recording) -> dict[int, list[str]]:
    return {step: [sample.response for sample in recording.samples.at(step)] for step in recording.samples.steps}


def test_a_run_that_died_before_its_first_row_keeps_its_completions(wandb_file: Any) -> None:
    table(wandb_file.path, "game_log_0", [["2+2=", "4", math.nan], ["2+3=", "6", -0.5]])

    recording = wandb_file.reader().refresh()

    assert recording.samples.steps == (0,)
    first, second = recording.samples.at(0)
    assert (first.query, first.response, second.score) == ("2+2=", "4", -0.5)
    assert math.isnan(first.score or 0.0)


def test_they_are_at_the_trainers_step_beside_those_that_a_row_names(wandb_file: Any) -> None:
    named = table(wandb_file.path, "completions_1", [["q", "named", 0.0]])
    where = {"_type": "table-file", "path": str(named.relative_to(wandb_file.path / "files"))}
    wandb_file.log(0, {"train/global_step": 10, "loss": 1.0})
    wandb_file.log(1, {"completions": where})
    wandb_file.log(2, {"train/global_step": 20, "loss": 0.5})
    table(wandb_file.path, "completions_3", [["q", "last", 1.0]])

    assert responses(wandb_file.reader().refresh()) == {10: ["named"], 20: ["last"]}


def test_a_table_that_is_logged_again_counts_once(wandb_file: Any) -> None:
    for count in (1, 2):
        file = table(wandb_file.path, f"completions_{count}", [["q", "a", 0.0]])
        where = {"_type": "table-file", "path": str(file.relative_to(wandb_file.path / "files"))}
        wandb_file.log(count, {"train/global_step": 10, "completions": where})

    assert responses(wandb_file.reader().refresh()) == {10: ["a"]}


def test_a_key_with_a_slash_is_a_folder_and_tells_an_evaluation(wandb_file: Any) -> None:
    table(wandb_file.path, "val/generations_7", [["q", "a", 0.0]])

    recording = wandb_file.reader().refresh()

    assert [(sample.step, sample.split) for sample in recording.samples.at(7)] == [(7, "eval")]


@pytest.mark.parametrize("name", ["game_log", "game_log_x", f"game_log_{10**18}", "_0"])
def test_a_table_without_a_count_in_its_name_is_left(wandb_file: Any, name: str) -> None:
    table(wandb_file.path, name, [["q", "a", 0.0]])

    assert wandb_file.reader().refresh().samples.steps == ()


def test_other_tables_and_broken_ones_are_left(wandb_file: Any, tmp_path: Path) -> None:
    table(wandb_file.path, "curve_0", [[1, 2.0]], ["x", "y"])
    table(wandb_file.path, "broken_1", []).write_text('{"columns": [[[')
    table(wandb_file.path, "deep_2", []).write_text('{"columns": ' + "[" * 10_000)
    table(wandb_file.path, "a/b/c/d/e/f_3", [["q", "a", 0.0]])
    os.mkfifo(wandb_file.path / "files" / "media" / "table" / f"pipe_4_{HASH}.table.json")
    outside = tmp_path / "outside.json"
    outside.write_text(json.dumps({"columns": COLUMNS, "data": [["q", "a", 0.0]]}))
    (wandb_file.path / "files" / "media" / "table" / f"link_5_{HASH}.table.json").symlink_to(outside)

    assert wandb_file.reader().refresh().samples.steps == ()


def test_a_bound_that_bites_is_told_of(wandb_file: Any) -> None:
    file = table(wandb_file.path, "game_log_0", [["q", "a", 0.0]] * (SAMPLE_ROWS + 2))

    recording = wandb_file.reader().refresh()

    assert len(recording.samples.at(0)) == SAMPLE_ROWS
    assert recording.notes == (f"the first 10,000 completions of {file.name}, the longest table, are read (of 10,002)",)


def test_a_table_beyond_the_bound_is_not_read(wandb_file: Any) -> None:
    file = table(wandb_file.path, "game_log_0", [["q", "a", 0.0]])
    os.truncate(file, WHOLE_FILE_BYTES + 1)

    recording = wandb_file.reader().refresh()

    assert recording.samples.at(0) == ()
    assert any("cannot be read" in note for note in recording.notes)
