"""Tests of sample files: TRL's parquet and the JSON lines of other trainers, opened step by step."""

import json
from pathlib import Path

import pyarrow
import pyarrow.parquet
import pytest

from diagnostics.readers.discovery import find
from diagnostics.readers.samples.completions import Reader

PARQUET = Path(__file__).parents[3] / "fixtures" / "trl" / "grpo116" / "out" / "completions"


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


@pytest.mark.parametrize("count", [1, 2000])
def test_no_file_is_opened_before_its_step_is_asked_for(tmp_path: Path, count: int) -> None:
    for step in range(1, count + 1):
        write(tmp_path / f"{step}.jsonl", {"input": str(step), "output": "x"})
    recording = Reader(tmp_path).refresh()
    for step in range(1, count):
        (tmp_path / f"{step}.jsonl").unlink()

    assert len(recording.samples.steps) == count
    assert recording.samples.at(count)[0].query == str(count)


def test_areals_folders_of_versions_are_one_run(tmp_path: Path) -> None:
    for version in (1, 2):
        for task in ("a", "b"):
            write(
                tmp_path / "dump" / str(version) / f"{task}.jsonl",
                {"task_id": task, "head_version": version, "prompt": task, "completion": "x", "reward": 0.5},
            )

    (ref,) = find(tmp_path)
    samples = Reader(ref.path).refresh().samples

    assert ref.path == tmp_path / "dump"
    assert samples.steps == (1, 2)
    assert [row.query for row in samples.at(2)] == ["a", "b"]


def test_skyrls_dumped_evaluations_are_evaluation_samples(tmp_path: Path) -> None:
    folder = tmp_path / "dumped_evals" / "global_step_5_evals"
    write(folder / "gsm8k.jsonl", {"input_prompt": "q", "output_response": "a", "score": 1.0, "stop_reason": "length"})
    write(folder / "aggregated_results.jsonl", {"eval/gsm8k/avg_score": 1.0})

    (ref,) = [found for found in find(tmp_path) if found.format == "completions"]
    (sample,) = Reader(ref.path).refresh().samples.at(5)

    assert (sample.query, sample.response, sample.split, sample.terminated) == ("q", "a", "eval", False)


def test_a_numbered_folder_of_other_lines_is_no_step(tmp_path: Path) -> None:
    write(tmp_path / "1" / "data.jsonl", {"prompt": "p", "completion": "a"})

    assert find(tmp_path) == []


def test_a_conversation_with_a_tool_call_is_shown_whole(tmp_path: Path) -> None:
    call = {"function": {"name": "add", "arguments": {"a": 1}}}
    table = pyarrow.table(
        {
            "step": [3],
            "prompt": [[{"role": "user", "content": "1+1="}]],
            "completion": [[{"role": "assistant", "content": None, "tool_calls": [call]}]],
            "accuracy": [1.0],
        }
    )
    pyarrow.parquet.write_table(table, tmp_path / "completions_00003.parquet")

    (sample,) = Reader(tmp_path).refresh().samples.at(3)

    assert sample.query == "1+1="
    assert '"name": "add"' in sample.response


def tinker_summary(split: str, reward: float) -> dict[str, object]:
    """A rollout of tinker-cookbook as its `rollout_logging.py` writes it: lengths and rewards, no text."""
    step = {"step_idx": 0, "ob_len": 12, "ac_len": 5, "reward": reward, "episode_done": True, "metrics": {}, "logs": {}}
    return {
        "schema_version": 1,
        "split": split,
        "iteration": 3,
        "group_idx": 7,
        "traj_idx": 0,
        "tags": ["gsm8k"],
        "sampling_client_step": 3,
        "total_reward": reward,
        "final_reward": 0.0,
        "trajectory_metrics": {"correct": 1.0},
        "steps": [step],
        "final_ob_len": 17,
    }


def test_tinkers_summaries_give_rewards_and_groups_of_each_iteration(tmp_path: Path) -> None:
    write(tmp_path / "iteration_000003" / "train_rollout_summaries.jsonl", tinker_summary("train", 1.5))
    write(tmp_path / "iteration_000003" / "eval_gsm8k_rollout_summaries.jsonl", tinker_summary("eval/gsm8k", 0.5))
    write(tmp_path / "iteration_000004" / "train_rollout_summaries.jsonl", tinker_summary("train", 2.5))

    (ref,) = find(tmp_path)
    samples = Reader(ref.path).refresh().samples

    assert samples.steps == (3, 4)
    assert [(row.score, row.split, row.group) for row in samples.at(3)] == [(0.5, "eval", 7), (1.5, "train", 7)]
    assert '"ac_len": 5' in samples.at(4)[0].response
