"""Tests of logs with the completions of all steps in one file."""

import json
from pathlib import Path

import pytest

from diagnostics.foreign_files.bounds import SAMPLE_ROWS
from diagnostics.readers.discovery import find
from diagnostics.readers.samples.json_lines import Reader


def line(**row: object) -> str:
    return json.dumps(row) + "\n"


def test_ms_swifts_lines_of_lists_are_laid_out_by_step(tmp_path: Path) -> None:
    file = tmp_path / "completions.jsonl"
    file.write_text(
        line(step=["1", "1"], prompt=["p", "q"], completion=["a", "b"], accuracy=[0.0, 1.0], advantages=[-1.0, 1.0])
        + line(step=["2", "2"], prompt=["r", "r"], completion=["c", "d"], accuracy=[1.0, 1.0], advantages=[0.0, 0.0])
    )

    (ref,) = find(tmp_path)
    samples = Reader(ref.path).refresh().samples

    assert samples.steps == (1, 2)
    assert [(row.query, row.response, row.advantage) for row in samples.at(1)] == [("p", "a", -1.0), ("q", "b", 1.0)]
    assert samples.at(2)[1].extra == {"accuracy": 1.0}
    assert {row.group for row in samples.at(2)} == {0}


def test_open_instructs_parts_are_one_log_and_token_ids_are_shown(tmp_path: Path) -> None:
    row = {"prompt_idx": 7, "prompt_tokens": [1, 2], "response_tokens": [3, 4, 5], "reward": 1.0, "advantage": 0.5}
    (tmp_path / "run_rollouts_000000.jsonl").write_text(line(step=1, **row, finish_reason="stop"))
    (tmp_path / "run_rollouts_000001.jsonl").write_text(
        line(step=1, **row, finish_reason="length") + line(step=2, **row)
    )
    (tmp_path / "run_metadata.jsonl").write_text(line(run_name="run"))

    (ref,) = find(tmp_path)
    first, second = Reader(ref.path).refresh().samples.at(1)

    assert (first.query, first.response, first.score, first.group) == ("[1, 2]", "[3, 4, 5]", 1.0, 7)
    assert (first.terminated, second.terminated) == (True, False)


def test_a_log_that_grows_is_read_on_and_one_that_was_replaced_anew(tmp_path: Path) -> None:
    file = tmp_path / "samples.jsonl"
    file.write_text(line(step=1, prompt="p", completion="a") + '{"step": 2, "prompt"')
    reader = Reader(file)
    assert reader.refresh().samples.steps == (1,)
    with file.open("a") as more:
        more.write(': "q", "completion": "b"}\n')

    assert reader.refresh().samples.steps == (1, 2)
    assert reader.refresh() is reader.refresh()

    file.write_text(line(step=9, prompt="p", completion="a"))
    assert reader.refresh().samples.steps == (9,)


def test_completions_beside_a_trainers_logging_and_events_are_one_run(tmp_path: Path) -> None:
    (tmp_path / "completions.jsonl").write_text(line(step=["1"], prompt=["p"], completion=["a"], accuracy=[1.0]))
    (tmp_path / "logging.jsonl").write_text(line(**{"loss": 0.5, "global_step/max_steps": "1/2"}))
    (tmp_path / "checkpoint-1").mkdir()
    (tmp_path / "checkpoint-1" / "trainer_state.json").write_text(
        json.dumps({"global_step": 1, "log_history": [{"step": 1, "loss": 0.5}]})
    )

    (ref,) = find(tmp_path)

    assert {part.format for part in ref.parts} == {"samples", "table", "trainer-state"}


@pytest.mark.parametrize("step", ["9" * 10_000, "9" * 19, "x"])
def test_a_step_in_text_that_is_beyond_64_bits_costs_its_row(step: str, tmp_path: Path) -> None:
    file = tmp_path / "completions.jsonl"
    file.write_text(line(step="1", prompt="q", completion="a") + line(step=step, prompt="q", completion="b"))

    assert Reader(file).refresh().samples.steps == (1,)


def test_the_rows_of_steps_that_alternate_are_found_in_file_order(tmp_path: Path) -> None:
    file = tmp_path / "samples.jsonl"
    file.write_text("".join(line(step=step, prompt=f"q{row}", completion="a") for row in range(3) for step in (1, 2)))

    samples = Reader(file).refresh().samples

    assert [[sample.query for sample in samples.at(step)] for step in (1, 2)] == [["q0", "q1", "q2"]] * 2


@pytest.mark.parametrize("rows", [{"prompt": "q", "completion": "a"}, {"prompt": ["q"] * 4, "completion": ["a"] * 4}])
def test_of_the_completions_of_one_step_the_first_count_up_to_a_bound(rows: dict[str, object], tmp_path: Path) -> None:
    file = tmp_path / "samples.jsonl"
    file.write_text(line(step=1, **rows) * (SAMPLE_ROWS + 1))

    assert len(Reader(file).refresh().samples.at(1)) == SAMPLE_ROWS
