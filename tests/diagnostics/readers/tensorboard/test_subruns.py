"""Tests of what the real writers make besides a file of scalars: sub-folders, settings, restarts."""

from pathlib import Path
from typing import Any

import pytest
from torch.utils.tensorboard import SummaryWriter

from diagnostics.readers.discovery import find
from diagnostics.readers.tensorboard.reader import Reader


def points(recording: Any, tag: str) -> list[tuple[int, float]]:
    return list(zip(recording.tags[tag].steps.tolist(), recording.tags[tag].values.tolist(), strict=True))


def write(folder: Path, steps: range, value: float = 1.0, **options: Any) -> None:
    with SummaryWriter(str(folder), **options) as writer:
        for step in steps:
            writer.add_scalar("loss", value, step)


def test_curves_drawn_together_are_parts_of_one_run(tmp_path: Path) -> None:
    with SummaryWriter(str(tmp_path / "run")) as writer:
        writer.add_scalar("reward", 0.5, 1)
        writer.add_scalars("train/kl", {"policy": 0.25, "reference": 0.125}, 1)

    (ref,) = find(tmp_path)
    recording = Reader(ref.path).refresh()

    assert {"reward", "train/kl/policy", "train/kl/reference"} == set(recording.tags)
    assert points(recording, "train/kl/reference") == [(1, 0.125)]


def test_tensorboardx_nests_them_deeper_and_they_are_parts_all_the_same(tmp_path: Path) -> None:
    tensorboardx = pytest.importorskip("tensorboardX")
    with tensorboardx.SummaryWriter(str(tmp_path / "run")) as writer:
        writer.add_scalar("reward", 0.5, 1)
        writer.add_scalars("train/kl", {"policy": 0.25, "reference": 0.125}, 1)

    (ref,) = find(tmp_path)

    assert {"reward", "train/kl/policy", "train/kl/reference"} == set(Reader(ref.path).refresh().tags)


def test_settings_given_to_the_plugin_are_the_runs_and_their_folder_is_no_run(tmp_path: Path) -> None:
    with SummaryWriter(str(tmp_path / "run")) as writer:
        writer.add_scalar("reward", 0.5, 1)
        writer.add_hparams(
            {"learning_rate": 1e-6, "steps": 300, "whiten": True, "loss_type": "dapo"}, {"hparam/reward": 0.75}
        )

    (ref,) = find(tmp_path)
    recording = Reader(ref.path).refresh()

    assert recording.config == {"learning_rate": 1e-6, "steps": 300, "whiten": True, "loss_type": "dapo"}
    assert points(recording, "reward") == [(1, 0.5)]
    assert recording.tags["hparam/reward"].values.tolist() == [0.75]
    assert recording.notes == ()


def test_a_restart_withdraws_what_it_does_not_write_again(tmp_path: Path) -> None:
    write(tmp_path / "run", range(10))
    write(tmp_path / "run", range(5, 8), value=2.0, purge_step=5, filename_suffix=".b")

    (ref,) = find(tmp_path)
    recording = Reader(ref.path).refresh()

    assert recording.tags["loss"].steps.tolist() == [0, 1, 2, 3, 4, 5, 6, 7, 5, 6, 7]
    assert recording.tags["loss"].values.tolist()[-3:] == [2.0, 2.0, 2.0]


def test_a_restart_without_a_word_leaves_the_old_points(tmp_path: Path) -> None:
    write(tmp_path / "run", range(10))
    write(tmp_path / "run", range(5, 8), value=2.0, filename_suffix=".b")

    (ref,) = find(tmp_path)

    assert Reader(ref.path).refresh().tags["loss"].steps.tolist() == [*range(10), 5, 6, 7]


def test_runs_beside_each_other_stay_apart(tmp_path: Path) -> None:
    write(tmp_path / "loss_a", range(3))
    write(tmp_path / "loss_b", range(3))

    assert len(find(tmp_path)) == 2


def test_a_curve_that_begins_later_joins_a_run_that_is_being_read(tmp_path: Path) -> None:
    with SummaryWriter(str(tmp_path / "run")) as writer:
        writer.add_scalar("reward", 0.5, 1)
        writer.flush()
        reader = Reader(tmp_path / "run")
        assert set(reader.refresh().tags) == {"reward"}

        writer.add_scalars("kl", {"policy": 0.25}, 2)
        writer.flush()
        for inner in writer.all_writers.values():
            inner.flush()

        assert points(reader.refresh(), "kl/policy") == [(2, 0.25)]
