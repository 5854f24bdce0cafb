"""More completions of a step than anybody logs: the first are read up to a bound, and the run says so."""

import json
import os
from pathlib import Path

import pytest

from diagnostics.api import open_run
from diagnostics.foreign_files.bounds import SAMPLE_ROWS, SPAN_BYTES, WHOLE_FILE_BYTES, YAML_NODES
from diagnostics.model.run import Run
from diagnostics.readers.samples.cut_steps import beyond_bytes
from diagnostics.runlog import SAMPLES_FILE, RunLog

MANY = SAMPLE_ROWS + 5
TRACES = "rollouts/step_3/train/all/traces.jsonl"


def completions(count: int, text: str = "a", **rest: object) -> bytes:
    rows = ({"query": f"q{row}", "response": text, **rest} for row in range(count))
    return b"".join(json.dumps(row).encode() + b"\n" for row in rows)


def written(file: Path, content: bytes, size: int = 0) -> Path:
    """A file with this content, followed by what was never written up to a size."""
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(content)
    if size:
        os.truncate(file, size)
    return file


def run_directory(folder: Path, samples: bytes) -> Path:
    with RunLog(folder, algorithm="grpo") as log:
        log.log(1, {"reward": 1.0})
    written(folder / SAMPLES_FILE, samples)
    return folder


def parquet(file: Path, count: int, **columns: object) -> Path:
    pa, pq = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    cells = {"prompt": [f"q{row}" for row in range(count)], "completion": ["a"] * count}
    pq.write_table(pa.table({**cells, **{name: [cell] * count for name, cell in columns.items()}}), file)
    return file


def counts(run: Run) -> dict[int, int]:
    """How many completions there are to see of each step."""
    return {step: len(run.samples.at(step)) for step in run.samples.steps}


def test_of_the_completions_of_one_step_in_a_run_directory_the_first_are_read(tmp_path: Path) -> None:
    rows = completions(MANY, step=1) + completions(3, step=2) + completions(MANY + 1, step=3)
    run = open_run(run_directory(tmp_path, rows))

    assert counts(run) == {1: SAMPLE_ROWS, 2: 3, 3: SAMPLE_ROWS}
    note = "the first 10,000 completions of step 3 are read (of 10,006); other steps beyond this bound: 1"
    assert note in run.notes


def test_a_step_that_was_logged_twice_counts_once(tmp_path: Path) -> None:
    half = completions(SAMPLE_ROWS // 2 + 1, step=1)
    run = open_run(run_directory(tmp_path, half + completions(1, step=2) + half))

    assert counts(run) == {1: SAMPLE_ROWS // 2 + 1, 2: 1}
    assert not [note for note in run.notes if "are read" in note]


@pytest.mark.parametrize("batch", [1, 4])
def test_of_the_completions_of_one_step_in_a_log_the_first_are_read(batch: int, tmp_path: Path) -> None:
    cells = ("q", "a") if batch == 1 else (["q"] * batch, ["a"] * batch)
    line = json.dumps({"step": 1, "prompt": cells[0], "completion": cells[1]}).encode() + b"\n"
    run = open_run(written(tmp_path / "samples.jsonl", line * MANY))

    assert counts(run) == {1: SAMPLE_ROWS}
    assert f"the first 10,000 completions of step 1 are read (of {batch * MANY:,})" in run.notes


def test_of_the_completions_of_one_step_in_parquet_the_first_are_read(tmp_path: Path) -> None:
    run = open_run(parquet(tmp_path / "samples.parquet", MANY, step=1))

    assert counts(run) == {1: SAMPLE_ROWS}
    assert "the first 10,000 completions of step 1 are read (of 10,005)" in run.notes


@pytest.mark.parametrize("suffix", ["parquet", "jsonl"])
def test_of_files_with_a_step_in_each_the_largest_says_what_is_left_out(suffix: str, tmp_path: Path) -> None:
    for step, count in ((1, 3), (2, MANY), (3, 3)):
        file = tmp_path / f"completions_{step:05d}.{suffix}"
        if suffix == "parquet":
            parquet(file, count)
        else:
            written(file, completions(count))

    run = open_run(tmp_path)
    assert counts(run) == {1: 3, 2: SAMPLE_ROWS, 3: 3}
    note = f"the first 10,000 completions of completions_00002.{suffix}, the largest file, are read (of 10,005)"
    assert note in run.notes


def test_files_within_the_bounds_say_nothing(tmp_path: Path) -> None:
    written(tmp_path / "1.jsonl", completions(SAMPLE_ROWS))

    run = open_run(tmp_path)
    assert counts(run) == {1: SAMPLE_ROWS}
    assert not [note for note in run.notes if "are read" in note or "are skipped" in note]


def traces(count: int) -> bytes:
    """Episodes as prime-rl writes them."""
    asked = {"parent": None, "message": {"role": "user", "content": "q"}}
    answered = {"parent": 0, "message": {"role": "assistant", "content": "a"}, "sampled": True}
    return count * (json.dumps({"traces": [{"nodes": [asked, answered]}]}).encode() + b"\n")


@pytest.mark.parametrize(
    ("name", "content", "size", "said"),
    [
        (
            "3.jsonl",
            completions(2),
            SPAN_BYTES + 100_000_000,
            "the first 256 MB of 3.jsonl, the largest file, are read",
        ),
        (TRACES, traces(2), 2 * WHOLE_FILE_BYTES, f"lines of {TRACES.partition('/')[2]}, the largest file, with more"),
    ],
    ids=["completions", "traces"],
)
def test_the_first_lines_of_a_large_file_of_one_step_are_read(
    name: str, content: bytes, size: int, said: str, tmp_path: Path
) -> None:
    written(tmp_path / name, content, size)

    run = open_run(tmp_path)
    assert counts(run) == {3: 2}
    (note,) = [note for note in run.notes if ", the largest file," in note]
    assert note.startswith(said)


def test_of_traces_of_one_step_the_first_are_read(tmp_path: Path) -> None:
    written(tmp_path / TRACES, traces(MANY))

    run = open_run(tmp_path)
    assert counts(run) == {3: SAMPLE_ROWS}
    note = "the first 10,000 completions of step_3/train/all/traces.jsonl, the largest file, are read (of 10,005)"
    assert note in run.notes


def test_trajectories_in_yaml_beyond_the_bound_are_told_of(tmp_path: Path) -> None:
    written(tmp_path / "trajectories" / "train" / "0001.yaml", b"- {}\n", WHOLE_FILE_BYTES + 1)

    said = "train/0001.yaml, the largest file, cannot be read: it holds 64 MB, and such a file is read up to 64 MB"
    assert said in open_run(tmp_path).notes


def test_trajectories_in_yaml_with_too_many_values_are_told_of(tmp_path: Path) -> None:
    group = "- trajectories:\n" + "  - reward: 1.0\n    metrics: {a: 1.0}\n" * (YAML_NODES // 5)
    written(tmp_path / "trajectories" / "train" / "0001.yaml", group.encode())
    written(tmp_path / "trajectories" / "train" / "0002.yaml", b"- trajectories:\n  - reward: 1.0\n")

    run = open_run(tmp_path)
    assert counts(run) == {1: 0, 2: 1}
    said = (
        "train/0001.yaml, the largest file, cannot be read: it nests deeper than 100 or holds more than 100,000 values"
    )
    assert said in run.notes


def test_trajectories_in_yaml_within_the_bounds_say_nothing(tmp_path: Path) -> None:
    group = "- trajectories:\n" + "  - reward: 1.0\n" * 1000
    written(tmp_path / "trajectories" / "train" / "0001.yaml", group.encode())

    run = open_run(tmp_path)
    assert counts(run) == {1: 1000}
    assert not [note for note in run.notes if "the largest file" in note]


def test_episodes_of_rllm_beyond_the_bound_are_told_of(tmp_path: Path) -> None:
    episode = {"task": "q", "trajectories": [{"reward": 1.0, "steps": [{"model_response": "a"}]}]}
    step = tmp_path / "episodes" / "train_step_3_epoch_0"
    written(step / "episode_hash0_id0.json", json.dumps(episode).encode())
    written(step / "episode_hash1_id0.json", b"{}", WHOLE_FILE_BYTES + 1)
    written(tmp_path / "episodes" / "train_step_4_epoch_0" / "episode_hash0_id0.json", json.dumps(episode).encode())

    run = open_run(tmp_path)
    assert counts(run) == {3: 1, 4: 1}
    said = "train_step_3_epoch_0/episode_hash1_id0.json, the largest file, cannot be read: it holds 64 MB, and such"
    assert [note for note in run.notes if note.startswith(said)]


def test_a_text_that_a_parquet_file_stores_once_counts_as_often_as_it_stands_there(tmp_path: Path) -> None:
    text = "x" * 400_000
    file = parquet(tmp_path / "completions_00001.parquet", 1000, info=text)
    assert file.stat().st_size < 1_000_000

    run = open_run(tmp_path)
    assert counts(run) == {1: 512}
    note = (
        "the first 512 completions of completions_00001.parquet, the largest file, are read (of 1,000), "
        "up to 256 MB of memory"
    )
    assert note in run.notes


def test_a_parquet_file_that_fits_into_memory_says_nothing(tmp_path: Path) -> None:
    parquet(tmp_path / "completions_00001.parquet", 600, info="x" * 400_000)

    run = open_run(tmp_path)
    assert counts(run) == {1: 600}
    assert not [note for note in run.notes if "are read" in note]


def test_the_bytes_of_a_step_beyond_the_bound_are_told_of() -> None:
    file = Path("samples.jsonl")
    assert list(beyond_bytes({1: SPAN_BYTES}, file)) == []
    assert list(beyond_bytes({1: 5, 2: 310_000_000}, file)) == [
        "the first 256 MB of step 2 in samples.jsonl are read (of 310 MB)"
    ]


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["run directory", "log"])
def test_of_the_bytes_of_one_step_the_first_are_read(kind: str, tmp_path: Path) -> None:
    content = completions(1, step=1) + completions(10, "x" * 30_000_000, step=1)
    is_run = kind == "run directory"
    run = open_run(run_directory(tmp_path, content) if is_run else written(tmp_path / "samples.jsonl", content))

    assert counts(run) == {1: 9}
    assert "the first 256 MB of step 1 in samples.jsonl are read (of 300 MB)" in run.notes
