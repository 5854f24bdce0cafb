"""Tests of what is listed where the callback's run directory lies in a trainer's output folder."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from diagnostics.api import find_runs, open_run
from diagnostics.runlog import RunLog

Rows = Mapping[int, float]


def follow(folder: Path, rows: Rows) -> None:
    with RunLog(folder, algorithm="grpo", producer="trl") as log:
        for step, reward in rows.items():
            log.log(step, {"reward": reward, "reward_std": reward / 3, "completions/mean_length": 7.5 + reward})


def checkpoint(folder: Path, rows: Rows) -> None:
    history: list[dict[str, Any]] = [
        {"step": step, "reward": reward, "reward_std": reward / 3, "completions/mean_length": 7.5 + reward}
        for step, reward in rows.items()
    ]
    state = folder / f"checkpoint-{max(rows)}" / "trainer_state.json"
    state.parent.mkdir(parents=True)
    state.write_text(json.dumps({"global_step": max(rows), "log_history": history}), "utf-8")


def rows(first: float, steps: int = 12) -> Rows:
    return {step: first + 0.0137 * step for step in range(1, steps + 1)}


def test_the_trainers_own_log_of_a_followed_training_is_no_second_run(tmp_path: Path) -> None:
    follow(tmp_path / "rlvitals", rows(0.11))
    checkpoint(tmp_path, rows(0.11))
    assert [found.path for found in find_runs(tmp_path)] == [tmp_path / "rlvitals"]
    assert (open_run(tmp_path).producer, open_run(tmp_path).last_step) == ("trl", 12)


def test_another_training_in_the_same_folder_stays_a_run(tmp_path: Path) -> None:
    follow(tmp_path / "rlvitals", rows(0.11))
    checkpoint(tmp_path, rows(0.57))
    assert [found.path for found in find_runs(tmp_path)] == [tmp_path, tmp_path / "rlvitals"]


def test_two_followed_trainings_in_one_folder_are_two_runs(tmp_path: Path) -> None:
    follow(tmp_path / "rlvitals", rows(0.11))
    follow(tmp_path / "rlvitals-2", rows(0.57))
    checkpoint(tmp_path, rows(0.57))
    assert [found.path for found in find_runs(tmp_path)] == [tmp_path / "rlvitals", tmp_path / "rlvitals-2"]


def test_a_state_that_says_too_little_is_that_of_the_only_run_it_can_be_of(tmp_path: Path) -> None:
    follow(tmp_path / "rlvitals", rows(0.11))
    checkpoint(tmp_path, rows(0.57, steps=1))
    assert [found.path for found in find_runs(tmp_path)] == [tmp_path / "rlvitals"]
