"""Tests of reading many records at once: whatever the layout, the result is that of reading one by one."""

import random
import resource
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchmarks import event_files
from benchmarks.event_files import LAYOUTS, event, framed, histogram, scalar, tensor, write
from diagnostics.model.recording import Recording
from diagnostics.readers.tensorboard.decode import frames, records, repeated_rounds, round_cache
from diagnostics.readers.tensorboard.reader import Reader
from tests.pace import cpu_seconds_below

NEVER = 1 << 62


@contextmanager
def constants(stretch: int, window: int, round_bytes: int) -> Iterator[None]:
    """Other sizes, in bytes, from which records are read many at once, and rounds followed."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(records, "WORTH_A_STRETCH", stretch)
        patch.setattr(round_cache, "FIRST_WINDOW_BYTES", window)
        patch.setattr(repeated_rounds, "WORTH_FOLLOWING", round_bytes)
        yield


def by_records(folder: Path) -> Recording:
    """What reading one record after the other makes of a folder."""
    with constants(NEVER, NEVER, NEVER):
        return Reader(folder).refresh()


def assert_same(expected: Recording, found: Recording) -> None:
    assert list(expected.tags) == list(found.tags)
    for tag, raw in expected.tags.items():
        assert raw.steps.tolist() == found.tags[tag].steps.tolist(), tag
        assert raw.values.tobytes() == found.tags[tag].values.tobytes(), tag
        assert raw.times.tobytes() == found.tags[tag].times.tobytes(), tag
    assert {tag: h.steps.tolist() for tag, h in expected.histograms.items()} == {
        tag: h.steps.tolist() for tag, h in found.histograms.items()
    }
    plain = [replace(recording, tags={}, histograms={}) for recording in (expected, found)]
    assert plain[0] == replace(plain[1], samples=plain[0].samples)


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("first_window", [1 << 12, 1 << 17], ids=["small windows", "usual windows"])
def test_every_layout_reads_as_record_by_record(layout: str, first_window: int, tmp_path: Path) -> None:
    write(tmp_path, LAYOUTS[layout](400))

    with constants(1 << 10, first_window, 1 << 16):
        found = Reader(tmp_path).refresh()

    assert_same(by_records(tmp_path), found)


@pytest.mark.parametrize("layout", LAYOUTS)
def test_every_layout_reads_as_tensorboard_reads_it(layout: str, tmp_path: Path) -> None:
    from tensorboard.backend.event_processing.event_accumulator import EventAccumulator
    from tensorboard.util.tensor_util import make_ndarray

    write(tmp_path, LAYOUTS[layout](60))
    accumulator = EventAccumulator(str(tmp_path), {"scalars": 0, "tensors": 0}, purge_orphaned_data=False).Reload()

    with constants(1 << 10, 1 << 13, 1 << 14):
        found = Reader(tmp_path).refresh().tags

    scalars = {tag: accumulator.Scalars(tag) for tag in accumulator.Tags()["scalars"]}
    tensors = {tag: accumulator.Tensors(tag) for tag in accumulator.Tags()["tensors"]}
    assert set(found) == {*scalars, *tensors}
    for tag, rows in {**scalars, **tensors}.items():
        assert [row.step for row in rows] == found[tag].steps.tolist()
        assert [row.wall_time for row in rows] == found[tag].times.tolist()
        values = [make_ndarray(row.tensor_proto).item() if tag in tensors else row.value for row in rows]
        assert values == found[tag].values.tolist()


def test_a_resumed_run_reads_as_record_by_record(tmp_path: Path) -> None:
    event_files.resumed(tmp_path, 1200)

    assert_same(by_records(tmp_path), Reader(tmp_path).refresh())


def test_steps_that_grow_longer_stay_in_order(tmp_path: Path) -> None:
    steps = [*range(100, 300), *range(16_300, 16_500), 2**40, 2**62, -1, 0]
    write(tmp_path, (event(step, 1.0, scalar(tag, step)) for step in steps for tag in ("a", "b", "c")))

    with constants(1, 1 << 10, 1 << 12):
        found = Reader(tmp_path).refresh()

    assert steps == found.tags["b"].steps.tolist()
    assert_same(by_records(tmp_path), found)


@pytest.mark.parametrize("seed", range(6))
def test_a_flipped_bit_costs_its_record_only(seed: int, tmp_path: Path) -> None:
    file = write(tmp_path, LAYOUTS["regular"](600))
    content, draw = bytearray(file.read_bytes()), random.Random(seed)
    for place in draw.sample(range(len(content) // 2, len(content)), 3):
        content[place] ^= 1 << draw.randrange(8)
    file.write_bytes(content)

    found = Reader(tmp_path).refresh()

    assert 1 <= found.malformed <= 3
    assert_same(by_records(tmp_path), found)


def test_equal_damage_to_two_records_of_a_tag_is_seen(tmp_path: Path) -> None:
    file = write(tmp_path, LAYOUTS["regular"](600))
    content = bytearray(file.read_bytes())
    tag = event_files.tags()[3].encode()
    places = [place for place in range(len(content) // 2, len(content)) if content.startswith(tag, place)]
    for place in places[10:12]:
        content[place + len(tag) + 2] ^= 4  # the value's second byte
    file.write_bytes(content)

    assert Reader(tmp_path).refresh().malformed == 2


def test_eval_rows_cost_neither_time_nor_memory(tmp_path: Path) -> None:
    write(tmp_path, LAYOUTS["eval rows"](3000))
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss

    with cpu_seconds_below(1.0):
        found = Reader(tmp_path).refresh()

    assert sum(len(raw.steps) for raw in found.tags.values()) == 3000 * 40 + 60 * 6
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 100 << 10


NAMES = st.sampled_from(["a", "b", "loss", "train/loss", "train/kl", "é" * 3, "x" * 130])
STEPS = st.integers(0, 300) | st.integers(-(2**63), 2**63 - 1)
VALUES = st.builds(scalar, NAMES, st.floats(width=32)) | st.builds(tensor, NAMES, st.floats(width=32))
HISTOGRAMS = st.builds(histogram, NAMES, st.builds(random.Random, st.integers(0, 3)))
TEXTS = st.builds(lambda tag: event_files.field(1, event_files.field(1, tag.encode())), NAMES)
RESTARTS = st.builds(
    lambda step: b"\x10" + event_files.varint(step) + event_files.field(7, b"\x08\x01"), st.integers(0, 300)
)
EVENTS = RESTARTS | st.builds(
    lambda step, time, values: event(step, time, *values),
    STEPS,
    st.floats(0, 2e9),
    st.lists(VALUES | HISTOGRAMS | TEXTS, max_size=3),
)
ROUNDS = st.tuples(st.lists(EVENTS, min_size=1, max_size=5), st.integers(1, 40))


def repeated(parts: Iterable[tuple[list[bytes], int]]) -> list[bytes]:
    return [payload for events, times in parts for payload in events * times]


@pytest.mark.slow
@settings(max_examples=60, deadline=None)
@given(st.lists(ROUNDS, min_size=1, max_size=4), st.integers(0, 12))
def test_any_mixture_of_events_reads_as_record_by_record(
    tmp_path_factory: pytest.TempPathFactory, parts: list[tuple[list[bytes], int]], torn: int
) -> None:
    folder = tmp_path_factory.mktemp("mixture")
    (folder / "events.out.tfevents.1.h.1.0").write_bytes(framed(repeated(parts))[: -torn or None])

    with constants(1, 1 << 9, 1 << 9):
        try:
            found = Reader(folder).refresh()
        except Exception as error:
            with pytest.raises(type(error)):
                by_records(folder)
            return

    assert_same(by_records(folder), found)


def test_a_file_that_ends_within_a_round_of_another_is_read_to_its_end(tmp_path: Path) -> None:
    names = ("first", "second", "third")
    rounds = [event(step, 1.0, scalar(name, 0.5)) for step in range(200) for name in names]
    for folder, payloads in (("whole", rounds), ("begun", rounds[-2:-1])):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "events.out.tfevents.1.h.1.0").write_bytes(framed(payloads))

    with constants(1, 1 << 9, 1 << 9):
        Reader(tmp_path / "whole").refresh()
        found = Reader(tmp_path / "begun").refresh()

    assert [*found.tags] == ["second"]


@settings(max_examples=50, deadline=None)
@given(st.lists(st.binary(max_size=300), min_size=1, max_size=40), st.integers(0, 400))
def test_frames_are_the_records_that_were_written(payloads: list[bytes], cut: int) -> None:
    data = framed(payloads)[: -cut or None]

    found = frames.find_frames(data, 0)

    whole = [found.payload(index) for index in range(len(found))]
    assert payloads[: len(whole)] == whole
    assert len(data) - found.end < (len(payloads[len(whole)]) + 16 if len(whole) < len(payloads) else 1)


def test_a_broken_checksum_ends_the_frames_before_its_block() -> None:
    data = bytearray(framed([bytes([index % 251]) * 50 for index in range(2000)]))
    data[100_000] ^= 1

    found = frames.find_frames(bytes(data), 0)

    assert 0 < found.end <= 100_000
    assert np.array_equal(np.full(len(found), 50), found.sizes)
