"""Tests of the readers' benchmark: its files have the right contents, and each reader's best reading counts."""

from pathlib import Path

import pytest

from benchmarks.event_files import tags
from benchmarks.reading import wandb_file
from benchmarks.reading.measuring import Measured, in_turn, ours
from diagnostics.api import find_runs
from diagnostics.readers.discovery import open_readers


def test_the_offline_run_holds_every_row(tmp_path: Path) -> None:
    wandb_file.write(tmp_path, 50)

    (ref,) = find_runs(tmp_path)
    (reader,) = open_readers(ref)
    found = reader.refresh().tags

    assert [row / 9 for row in range(50)] == found[tags()[6]].values.tolist()


@pytest.mark.process
def test_a_reading_of_ours_tells_what_it_found(tmp_path: Path) -> None:
    wandb_file.write(tmp_path, 5)

    found = ours("read", tmp_path)

    assert found.events >= 5 * wandb_file.KEYS
    assert found.cpu > 0
    assert found.peak > 10


def test_readers_take_turns_and_the_best_counts() -> None:
    order: list[str] = []
    costs = {"a": iter([3.0, 1.0]), "b": iter([2.0])}

    def reading(name: str) -> Measured:
        order.append(name)
        return Measured(next(costs[name]), 5.0)

    found = in_turn({"a": (lambda: reading("a"), 2), "b": (lambda: reading("b"), 1)})

    assert order == ["a", "b", "a"]
    assert {name: measured.cpu for name, measured in found.items()} == {"a": 1.0, "b": 2.0}
