"""Tests of rounds that are known from another file: they are found at once, and never taken on trust."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from benchmarks.event_files import LAYOUTS, event, regular, scalar, tags, tensor, write
from diagnostics.readers.tensorboard.decode import record_layouts, records, round_cache
from diagnostics.readers.tensorboard.decode.frames import Frames
from diagnostics.readers.tensorboard.decode.records import Records
from diagnostics.readers.tensorboard.decode.repeated_rounds import DecodedRounds, learn_round
from diagnostics.readers.tensorboard.decode.round_cache import KnownRounds
from diagnostics.readers.tensorboard.reader import Reader


@pytest.fixture(autouse=True)
def nothing_known(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(round_cache, "_OF_ALL_FILES", KnownRounds())


def stretches(file: Path) -> list[Frames | DecodedRounds | bytes]:
    return list(Records(file).stretches())


def one_by_one(folder: Path) -> dict[str, tuple[list[int], bytes, bytes]]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(records, "WORTH_A_STRETCH", 1 << 62)
        return points(folder)


def points(folder: Path) -> dict[str, tuple[list[int], bytes, bytes]]:
    found = Reader(folder).refresh()
    return {tag: (raw.steps.tolist(), raw.values.tobytes(), raw.times.tobytes()) for tag, raw in found.tags.items()}


def test_a_second_run_of_the_same_tags_is_read_without_learning(tmp_path: Path) -> None:
    first, second = (write(tmp_path / name, regular(600)) for name in ("a", "b"))

    assert any(isinstance(found, Frames) for found in stretches(first))
    assert [bytes, DecodedRounds, DecodedRounds] == [type(found) for found in stretches(second)]


def test_after_evaluations_the_rounds_go_on(tmp_path: Path) -> None:
    found = stretches(write(tmp_path, LAYOUTS["eval rows"](3000)))

    in_rounds = sum(turns.records for turns in found if isinstance(turns, DecodedRounds))
    assert in_rounds > 0.8 * 3000 * 40


def other_tag_of_that_length() -> Iterator[bytes]:
    names = tags()
    for step in range(1, 300):
        for place, name in enumerate(names):
            yield event(step, 1.0, scalar(f"{name[:-1]}X" if place == 7 else name, step))


def tensors_of_those_tags() -> Iterator[bytes]:
    return (event(step, 1.0, tensor(name, step)) for step in range(1, 300) for name in tags())


def a_tag_more() -> Iterator[bytes]:
    return (event(step, 1.0, scalar(name, step)) for step in range(1, 300) for name in (*tags(), "one/more"))


def other_order() -> Iterator[bytes]:
    return (event(step, 1.0, scalar(name, step)) for step in range(1, 300) for name in reversed(tags()))


@pytest.mark.parametrize("other", [other_tag_of_that_length, tensors_of_those_tags, a_tag_more, other_order])
def test_a_run_that_is_a_little_different_is_not_mistaken(other: object, tmp_path: Path) -> None:
    Reader(write(tmp_path / "known", regular(600)).parent).refresh()
    assert callable(other)
    write(tmp_path / "other", other())

    assert one_by_one(tmp_path / "other") == points(tmp_path / "other")


@pytest.mark.parametrize("place", [100_000, 300_001, 700_002])
def test_damage_is_seen_where_the_round_is_known(place: int, tmp_path: Path) -> None:
    Reader(write(tmp_path / "known", regular(600)).parent).refresh()
    file = write(tmp_path / "damaged", regular(600))
    content = bytearray(file.read_bytes())
    content[place] ^= 16
    file.write_bytes(content)

    assert Reader(file.parent).refresh().malformed == 1
    assert one_by_one(file.parent) == points(file.parent)


def test_a_tag_that_comes_twice_in_a_round_keeps_its_order(tmp_path: Path) -> None:
    names = ["a", "b", "a", "c"]
    write(
        tmp_path,
        (event(step, 1.0, scalar(tag, step + place)) for step in range(6000) for place, tag in enumerate(names)),
    )

    assert one_by_one(tmp_path) == points(tmp_path)


def test_what_is_known_is_bounded(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(round_cache, "MOST_COLUMNS", 100)
    known = KnownRounds()
    for number in range(5):
        names = [f"run{number}/{name}" for name in tags()]
        file = write(tmp_path / str(number), (event(s, 1.0, scalar(name, s)) for s in (1, 2, 3) for name in names))
        (frames,) = (found for found in stretches_of_any_size(file) if isinstance(found, Frames))
        found = learn_round(frames)
        assert found is not None
        known.add(found)

    first_tag = record_layouts.shape_and_names(event(3, 1.0, scalar(f"run4/{tags()[0]}", 1.0)))
    gone = record_layouts.shape_and_names(event(3, 1.0, scalar(f"run0/{tags()[0]}", 1.0)))
    assert first_tag is not None
    assert gone is not None
    assert known.with_column(first_tag) is not None
    assert known.with_column(gone) is None


def stretches_of_any_size(file: Path) -> list[Frames | DecodedRounds | bytes]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(records, "WORTH_A_STRETCH", 1)
        return stretches(file)
