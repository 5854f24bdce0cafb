"""Tests of trainer_state.json: the newest checkpoint counts, evaluation keeps its place, null is missing."""

import json
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from diagnostics.readers.base import UnreadableRun
from diagnostics.readers.discovery import find
from diagnostics.readers.tables.trainer_state import Reader

OUT = Path(__file__).parents[3] / "fixtures" / "trl" / "ppo112_nmb1" / "out"


def save(home: Path, step: int, *history: dict[str, Any]) -> Path:
    folder = home / f"checkpoint-{step}"
    folder.mkdir(parents=True)
    state = {"global_step": step, "max_steps": 10, "log_history": list(history)}
    (folder / "trainer_state.json").write_text(json.dumps(state))
    return folder


def test_of_several_checkpoints_the_last_one_is_read(tmp_path: Path) -> None:
    save(tmp_path / "out", 4, {"step": 4, "kl": 0.5})
    save(tmp_path / "out", 10, {"step": 4, "kl": 0.5}, {"step": 10, "kl": 0.75})

    (ref,) = find(tmp_path)
    recording = Reader(ref.path).refresh()

    assert ref.path == tmp_path / "out"
    assert recording.tags["kl"].values.tolist() == [0.5, 0.75]
    assert (recording.status.step, recording.status.total) == (10, 10)


def test_a_new_checkpoint_is_seen(tmp_path: Path) -> None:
    save(tmp_path, 1, {"step": 1, "kl": 0.5})
    reader = Reader(tmp_path)
    reader.refresh()
    save(tmp_path, 2, {"step": 1, "kl": 0.5}, {"step": 2, "kl": 0.25})

    assert reader.refresh().tags["kl"].steps.tolist() == [1, 2]
    assert reader.refresh() is reader.refresh()


def test_evaluation_rows_and_the_summary_keep_apart_from_training(tmp_path: Path) -> None:
    save(
        tmp_path,
        1,
        {"step": 1, "reward": float("nan"), "kl": None},
        {"step": 1, "eval_reward": 0.5},
        {"step": 1, "train_runtime": 3.0, "train_loss": 0.1},
    )

    tags = Reader(tmp_path).refresh().tags

    assert set(tags) == {"reward", "eval/reward"}
    assert np.isnan(tags["reward"].values).all()


def test_a_real_one_says_which_trl_wrote_it(tmp_path: Path) -> None:
    shutil.copytree(OUT, tmp_path / "out", ignore=shutil.ignore_patterns("runs"))

    recording = Reader(tmp_path / "out").refresh()

    assert recording.tags["objective/kl"].steps.tolist() == [1, 2, 3, 4, 5, 6, 7, 8]
    assert "TRL: 1.12.0" in recording.text["README.md"]


def test_a_file_that_is_no_state_says_so(tmp_path: Path) -> None:
    (tmp_path / "trainer_state.json").write_text("[]")

    with pytest.raises(UnreadableRun, match="no log_history"):
        Reader(tmp_path).refresh()
