"""Tests of the W&B page's exports: several runs in one file, several panels in one folder."""

from pathlib import Path
from typing import Any

import pytest

from diagnostics.readers.base import UnreadableRun
from diagnostics.readers.discovery import find
from diagnostics.readers.wandb.csv_export import Reader

KL = (
    '"train/global_step","a - b - _step","a - b - train/kl","a - b - train/kl__MIN","a - b - train/kl__MAX",'
    '"c - _step","c - train/kl","c - train/kl__MIN","c - train/kl__MAX"\n'
    '"10","3","0.5","0.5","0.5","","","",""\n'
    '"20","7","NaN","NaN","NaN","9","0.25","0.25","0.25"\n'
)
LOSS = '"Relative Time (Process)","c - _step","c - train/loss","c - train/loss__MIN"\n"12.25","20","1.5","1.5"\n'


def points(recording: Any, tag: str) -> list[tuple[int, float]]:
    return list(zip(recording.tags[tag].steps.tolist(), recording.tags[tag].values.tolist(), strict=True))


def test_each_run_of_a_panel_is_a_run_and_bounds_are_left_out(tmp_path: Path) -> None:
    (tmp_path / "kl.csv").write_text(KL)

    first, second = find(tmp_path)
    recording = Reader(first.path).refresh()

    assert (first.name, second.name) == ("a - b", "c")
    assert list(recording.tags) == ["train/kl"]
    assert recording.tags["train/kl"].steps.tolist() == [10, 20]
    assert points(Reader(second.path).refresh(), "train/kl") == [(20, 0.25)]


def test_the_panels_of_one_folder_are_put_together(tmp_path: Path) -> None:
    (tmp_path / "kl.csv").write_text(KL)
    (tmp_path / "loss.csv").write_text(LOSS)

    recording = Reader(tmp_path / "kl.csv" / "c").refresh()

    assert points(recording, "train/kl") == [(20, 0.25)]
    assert points(recording, "train/loss") == [(20, 1.5)]  # an axis of seconds: W&B's own count is used instead
    assert "fewer than were logged" in recording.notes[0]


def test_a_panel_of_several_runs_asks_for_one(tmp_path: Path) -> None:
    (tmp_path / "kl.csv").write_text(KL)

    with pytest.raises(UnreadableRun, match="shows 2 runs"):
        Reader(tmp_path / "kl.csv").refresh()


def test_a_panel_whose_bounds_were_deleted_is_known_by_its_axis(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text('"Step","nightly - train/loss","other - train/loss"\n"5","0.5",""\n"6","","0.25"\n')

    first, second = find(tmp_path)
    assert [(ref.format, ref.name) for ref in (first, second)] == [("wandb-csv", "nightly"), ("wandb-csv", "other")]
    assert points(Reader(first.path).refresh(), "train/loss") == [(5, 0.5)]
    assert points(Reader(second.path).refresh(), "train/loss") == [(6, 0.25)]


def test_an_ordinary_csv_is_no_panel(tmp_path: Path) -> None:
    (tmp_path / "log.csv").write_text("step,loss - total\n1,0.5\n")

    assert [ref.format for ref in find(tmp_path)] == ["table"]


def test_any_of_its_panels_opens_a_run(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text(LOSS)
    (tmp_path / "b.csv").write_text(LOSS.replace("loss", "kl"))

    for panel in ("a.csv", "b.csv"):
        (ref,) = find(tmp_path / panel)
        assert set(Reader(ref.path).refresh().tags) == {"train/loss", "train/kl"}
    (tmp_path / "a.csv").unlink()
    (ref,) = find(tmp_path / "b.csv")
    assert set(Reader(ref.path).refresh().tags) == {"train/kl"}
