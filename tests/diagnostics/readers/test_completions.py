"""Tests of sample files: TRL's parquet and the JSON lines of other trainers, opened step by step."""

import json
from pathlib import Path

import pytest

from diagnostics.readers.completions import Reader
from diagnostics.readers.discovery import find

PARQUET = Path(__file__).parents[2] / "fixtures" / "trl" / "grpo116" / "out" / "completions"


def write(file: Path, *rows: object) -> Path:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return file.parent


def test_trls_parquet_is_read_with_rewards_groups_and_extras() -> None:
    samples = Reader(PARQUET).refresh().samples

    first = samples.at(1)[0]
    assert samples.steps == (1, 2, 3, 4, 5, 6)
    assert (first.query, first.rewards, first.score) == ("hello 6", {"length_reward": 14.0}, 14.0)
    assert first.extra["nchar"] == 14
    assert {sample.group for sample in samples.at(1)} == {0, 1}


def test_verls_rollout_dumps_are_read(tmp_path: Path) -> None:
    row = {"input": "2+2=", "output": "4", "gts": "4", "score": 1.0, "step": 3, "acc": True}
    folder = write(tmp_path / "rollout" / "3.jsonl", row)

    (ref,) = find(tmp_path)
    (sample,) = Reader(ref.path).refresh().samples.at(3)

    assert ref.path == folder
    assert (sample.query, sample.response, sample.score) == ("2+2=", "4", 1.0)
    assert sample.extra == {"gts": "4", "acc": True}


def test_a_validation_folder_holds_evaluation_samples(tmp_path: Path) -> None:
    folder = write(tmp_path / "validation" / "1.jsonl", {"input": "a", "output": "b", "score": 0.0})

    assert Reader(folder).refresh().samples.at(1)[0].split == "eval"


def test_lists_of_one_element_are_unwrapped(tmp_path: Path) -> None:
    folder = write(tmp_path / "logs" / "train_data_step2.jsonl", {"content": ["hello"], "rewards": [0.5], "idx": 0})

    (sample,) = Reader(folder).refresh().samples.at(2)

    assert (sample.response, sample.score) == ("hello", 0.5)


def test_a_step_in_one_line_of_lists_is_laid_out_row_by_row(tmp_path: Path) -> None:
    folder = write(
        tmp_path / "dump" / "rollout_dump_data.step_4.jsonl",
        {"prompts": ["p", "q"], "responses": ["a", "b"], "scores": [0.0, 1.0], "domain": "math"},
    )

    found = Reader(folder).refresh().samples.at(4)

    assert [(row.query, row.response, row.score, row.extra["domain"]) for row in found] == [
        ("p", "a", 0.0, "math"),
        ("q", "b", 1.0, "math"),
    ]


def test_a_new_step_appears_and_a_torn_parquet_holds_nothing_yet(tmp_path: Path) -> None:
    (tmp_path / "completions").mkdir()
    whole = (PARQUET / "completions_00001.parquet").read_bytes()
    (tmp_path / "completions" / "completions_00001.parquet").write_bytes(whole)
    reader = Reader(tmp_path / "completions")
    assert reader.refresh().samples.steps == (1,)

    (tmp_path / "completions" / "completions_00002.parquet").write_bytes(whole[:100])

    assert reader.refresh().samples.steps == (1, 2)
    assert reader.refresh().samples.at(2) == ()


@pytest.mark.parametrize("count", [1, 2000])
def test_no_file_is_opened_before_its_step_is_asked_for(tmp_path: Path, count: int) -> None:
    for step in range(1, count + 1):
        write(tmp_path / f"{step}.jsonl", {"input": str(step), "output": "x"})
    recording = Reader(tmp_path).refresh()
    for step in range(1, count):
        (tmp_path / f"{step}.jsonl").unlink()

    assert len(recording.samples.steps) == count
    assert recording.samples.at(count)[0].query == str(count)
