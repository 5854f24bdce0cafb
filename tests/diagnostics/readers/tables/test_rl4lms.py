"""Tests of RL4LMs' own logs, as its tracker writes them (its source: `text_generation/logging_utils.py`)."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from diagnostics.api import open_run
from diagnostics.readers.discovery import find
from diagnostics.readers.tables.rl4lms import Reader


def lines(file: Path, rows: Sequence[Mapping[str, Any]]) -> None:
    with file.open("a") as log:
        log.writelines(json.dumps(row) + "\n" for row in rows)


def run_of(folder: Path, iterations: int = 3) -> Path:
    numbers = range(1, iterations + 1)
    lines(
        folder / "rollout_info.jsonl",
        [{"rollout_info/ep_rew": n / 4, "rollout_info/kl_div_mean": 0.1} for n in numbers],
    )
    lines(folder / "training_info.jsonl", [{"ppo/approx_kl": 0.01, "ppo/entropy_loss": -2.0} for _ in numbers])
    lines(folder / "val_split_metrics.jsonl", [{"epoch": n, "metrics": {"lexical/meteor": 0.5}} for n in (0, 2)])
    (folder / "config.json").write_text('{"alg": {"id": "ppo"}}')
    return folder


def points(recording: Any, tag: str) -> list[tuple[int, float]]:
    return list(zip(recording.tags[tag].steps.tolist(), recording.tags[tag].values.tolist(), strict=True))


def test_the_rows_of_each_log_are_counted_and_evaluations_name_their_epoch(tmp_path: Path) -> None:
    (ref,) = find(run_of(tmp_path))
    recording = Reader(ref.path).refresh()

    assert points(recording, "rollout_info/ep_rew") == [(1, 0.25), (2, 0.5), (3, 0.75)]
    assert points(recording, "ppo/approx_kl") == [(1, 0.01), (2, 0.01), (3, 0.01)]
    assert points(recording, "val/lexical/meteor") == [(0, 0.5), (2, 0.5)]
    assert (recording.config, recording.status.step) == ({"alg": {"id": "ppo"}}, 3)


def test_it_is_understood_as_rl4lms_and_its_entropy_is_turned_round(tmp_path: Path) -> None:
    run = open_run(run_of(tmp_path))

    assert (run.producer, run.series["entropy_per_token"].values.tolist()) == ("rl4lms", [2.0, 2.0, 2.0])


def test_an_evaluation_without_an_epoch_is_counted_as_malformed(tmp_path: Path) -> None:
    lines(run_of(tmp_path) / "test_split_metrics.jsonl", [{"metrics": {"a": 1}}])

    assert Reader(tmp_path).refresh().malformed == 1
