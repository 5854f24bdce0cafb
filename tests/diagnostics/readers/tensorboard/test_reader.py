"""Tests of the event-file reader: against TensorBoard itself, and on broken, odd or multiple event files."""

import math
import shutil
import struct
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from diagnostics.readers.base import UnreadableRun
from diagnostics.readers.tensorboard.events import decode_event
from diagnostics.readers.tensorboard.reader import Reader, runs_in

FIXTURES = Path(__file__).parents[3] / "fixtures" / "trl"
EVENT_FILES = sorted(FIXTURES.rglob("events.out.tfevents.*"))


def by_tensorboard(file: Path) -> dict[str, tuple[list[int], list[float], list[float]]]:
    """Steps, values and times by tag, as TensorBoard's own reader has them."""
    from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

    accumulator = EventAccumulator(str(file), size_guidance={"scalars": 0, "tensors": 0}, purge_orphaned_data=False)
    accumulator.Reload()
    tags = accumulator.Tags()["scalars"]
    rows = {tag: accumulator.Scalars(tag) for tag in tags}
    return {
        tag: ([r.step for r in row], [r.value for r in row], [r.wall_time for r in row]) for tag, row in rows.items()
    }


@pytest.mark.parametrize("file", EVENT_FILES, ids=lambda file: str(file.relative_to(FIXTURES).parts[0]))
def test_it_reads_what_tensorboard_reads(file: Path, tmp_path: Path) -> None:
    alone = Path(shutil.copy(file, tmp_path))
    expected = by_tensorboard(alone)

    found = Reader(tmp_path).refresh().tags

    assert list(expected) == list(found) or sorted(expected) == sorted(found)
    for tag, (steps, values, times) in expected.items():
        assert steps == found[tag].steps.tolist()
        assert np.array_equal(np.array(values, dtype=np.float32), found[tag].values, equal_nan=True)
        assert times == found[tag].times.tolist()


def tensor_event(**tensor: Any) -> Any:
    from tensorboard.compat.proto.event_pb2 import Event
    from tensorboard.compat.proto.summary_pb2 import Summary
    from tensorboard.compat.proto.tensor_pb2 import TensorProto

    return Event(wall_time=1.0, step=-3, summary=Summary(value=[Summary.Value(tag="t", tensor=TensorProto(**tensor))]))


@pytest.mark.parametrize(
    ("tensor", "expected"),
    [
        ({"dtype": 1, "float_val": [0.5]}, 0.5),
        ({"dtype": 1, "tensor_content": struct.pack("<f", 0.5)}, 0.5),
        ({"dtype": 2, "double_val": [0.1]}, 0.1),
        ({"dtype": 2, "tensor_content": struct.pack("<d", 0.1)}, 0.1),
        ({"dtype": 3, "int_val": [-7]}, -7.0),
        ({"dtype": 9, "int64_val": [-(2**40)]}, -(2.0**40)),
        ({"dtype": 9, "tensor_content": struct.pack("<q", -5)}, -5.0),
        ({"dtype": 10, "bool_val": [True]}, 1.0),
        ({"dtype": 19, "half_val": [0x3800]}, 0.5),
        ({"dtype": 14, "half_val": [0x3F00]}, 0.5),
        ({"dtype": 14, "tensor_content": struct.pack("<H", 0x3F00)}, 0.5),
    ],
    ids=lambda case: str(case) if isinstance(case, dict) else "",
)
def test_a_tensor_with_one_number_is_a_point(event_file: Any, tensor: dict[str, Any], expected: float) -> None:
    event_file.append(tensor_event(**tensor))

    raw = Reader(event_file.path).refresh().tags["t"]

    assert ([-3], [expected]) == (raw.steps.tolist(), raw.values.tolist())


def test_what_is_neither_number_nor_text_is_counted_in_a_note(event_file: Any) -> None:
    from tensorboard.compat.proto.event_pb2 import Event
    from tensorboard.compat.proto.summary_pb2 import HistogramProto, Summary

    event_file.append(tensor_event(dtype=1, float_val=[1.0, 2.0]))
    histogram = Summary.Value(tag="h", histo=HistogramProto(num=3))
    event_file.append(Event(wall_time=2.0, step=1, summary=Summary(value=[histogram])))

    recording = Reader(event_file.path).refresh()

    assert recording.tags == {}
    assert recording.notes == ("2 values that are neither a number, a text nor a histogram were skipped",)


def test_texts_are_kept(event_file: Any) -> None:
    event_file.append(tensor_event(dtype=7, string_val=["{“é”}".encode()]))

    assert Reader(event_file.path).refresh().text["t"] == "{“é”}"


def test_a_corrupt_length_costs_only_its_record(event_file: Any) -> None:
    starts = []
    for step in range(5):
        starts.append(event_file.file.stat().st_size)
        event_file.write(step, {"loss": float(step)})
    content = bytearray(event_file.file.read_bytes())
    content[starts[2]] ^= 0xFF
    event_file.file.write_bytes(content)

    recording = Reader(event_file.path).refresh()

    assert recording.tags["loss"].steps.tolist() == [0, 1, 3, 4]
    assert recording.malformed == 1


def test_any_one_byte_may_be_wrong_and_at_most_one_step_is_lost(event_file: Any) -> None:
    for step in range(4):
        event_file.write(step, {"loss": float(step)})
    whole = event_file.file.read_bytes()

    for position in range(len(whole)):
        event_file.file.write_bytes(whole[:position] + bytes([whole[position] ^ 0x10]) + whole[position + 1 :])
        recording = Reader(event_file.path).refresh()
        assert len(recording.tags["loss"].steps) >= 3
        assert recording.malformed == 1 or "ends within a record" in recording.notes[0]


def test_a_tail_of_zeros_after_a_power_cut_is_no_record(event_file: Any) -> None:
    event_file.write(1, {"loss": 1.0})
    with event_file.file.open("ab") as file:
        file.write(bytes(4096))

    recording = Reader(event_file.path).refresh()

    assert recording.tags["loss"].steps.tolist() == [1]
    assert recording.malformed == 1


def test_a_file_cut_off_within_its_first_record_is_unreadable(event_file: Any) -> None:
    event_file.file.write_bytes(event_file.file.read_bytes()[:20])

    with pytest.raises(UnreadableRun, match="holds no readable record: its 20 bytes"):
        Reader(event_file.path).refresh()


def test_an_empty_file_says_that_nothing_was_written_yet(event_file: Any) -> None:
    event_file.file.write_bytes(b"")

    with pytest.raises(UnreadableRun, match="is empty"):
        Reader(event_file.path).refresh()


def another_file(event_file: Any, seconds: int, process: int) -> None:
    """Let the writer go on in a new file, opened by another process at another time."""
    from tensorboard.compat.proto.event_pb2 import Event

    event_file.file = event_file.path / f"events.out.tfevents.{seconds}.host.{process}.0"
    event_file.append(Event(wall_time=float(seconds), file_version="brain.Event:2"))


def test_a_restart_in_the_same_folder_is_the_same_run(event_file: Any) -> None:
    for step in (1, 2, 3):
        event_file.write(step, {"loss": 1.0})
    reader = Reader(event_file.path)
    reader.refresh()
    another_file(event_file, 1700000500, 5000)
    for step in (3, 4):
        event_file.write(step, {"loss": 2.0})

    assert [event_file.path] == [ref.path for ref in runs_in(event_file.path)]
    assert reader.refresh().tags["loss"].steps.tolist() == [1, 2, 3, 3, 4]


def test_separate_trainings_in_one_folder_are_separate_runs(event_file: Any) -> None:
    first = event_file.file
    event_file.write(1, {"loss": 1.0})
    another_file(event_file, 1700000500, 5000)
    event_file.write(1, {"loss": 2.0})

    found = runs_in(event_file.path)

    assert [first, event_file.file] == [ref.path for ref in found]
    assert [ref.name for ref in found] == ["project Nov14 22:13:20", "project Nov14 22:21:40"]
    assert [Reader(ref.path).refresh().tags["loss"].values.tolist() for ref in found] == [[1.0], [2.0]]


def test_where_a_training_begins_is_seen_whatever_its_histograms_hold(event_file: Any) -> None:
    from tensorboard.compat.proto.event_pb2 import Event
    from tensorboard.compat.proto.summary_pb2 import HistogramProto, Summary

    values = [Summary.Value(tag="h", histo=HistogramProto(bucket=[1.0])), Summary.Value(tag="loss", simple_value=1.0)]
    for opened_at in (1700000500, 1700001000):
        another_file(event_file, opened_at, opened_at)
        event_file.append(Event(wall_time=1.0, step=1, summary=Summary(value=values)))

    assert len(runs_in(event_file.path)) == 2


def test_a_second_file_of_the_same_process_belongs_to_its_run(event_file: Any) -> None:
    event_file.write(1, {"loss": 1.0})
    another_file(event_file, 1700000001, 4711)
    event_file.write(1, {"loss": 2.0})

    assert len(runs_in(event_file.path)) == 1


def test_saved_hyperparameters_are_the_configuration() -> None:
    config = Reader(FIXTURES / "old710_tensorboard" / "trl").refresh().config

    expected = {"init_kl_coef": 0.2, "max_grad_norm": None, "adap_kl_ctrl": True, "exp_name": "oldppo"}
    assert {key: config[key] for key in expected} == expected


def test_a_run_keeps_its_id_when_its_folder_moves(event_file: Any, tmp_path: Path) -> None:
    before = Reader(event_file.path).refresh().run_id
    moved = event_file.path.rename(tmp_path / "elsewhere")

    assert before == Reader(moved).refresh().run_id


@given(st.binary(max_size=200))
def test_any_bytes_are_an_event_or_refused(payload: bytes) -> None:
    try:
        event = decode_event(payload)
    except (ValueError, struct.error):
        return
    assert -(2**63) <= event.step < 2**63
    assert all(isinstance(point.tag, str) for point in event.points)


@given(
    st.floats(allow_nan=False),
    st.integers(-(2**63), 2**63 - 1),
    st.text(st.characters(exclude_categories=["Cs"]), max_size=200),
    st.floats(width=32),
)
def test_a_scalar_is_decoded_as_tensorboard_decodes_it(time: float, step: int, tag: str, value: float) -> None:
    from tensorboard.compat.proto.event_pb2 import Event
    from tensorboard.compat.proto.summary_pb2 import Summary

    event = Event(wall_time=time, step=step, summary=Summary(value=[Summary.Value(tag=tag, simple_value=value)]))

    found = decode_event(event.SerializeToString())

    assert (found.time, found.step, [point.tag for point in found.points]) == (time, step, [tag])
    assert found.points[0].value == value or (math.isnan(value) and math.isnan(found.points[0].value or 0.0))


def test_a_histogram_of_torch_is_read(tmp_path: Path) -> None:
    from torch.utils.tensorboard import SummaryWriter  # noqa: PLC0415 - seconds to import, for one test

    with SummaryWriter(str(tmp_path)) as writer:
        writer.add_histogram("h", np.array([-1.0, 0.0, 0.0, 2.0]), 7, bins=4)

    (found,) = Reader(tmp_path).refresh().histograms.values()

    assert found.steps.tolist() == [7]
    assert found.bins[0].edges.tolist() == [-1.0, -0.25, 0.5, 1.25, 2.0]
    assert found.bins[0].counts.tolist() == [1.0, 2.0, 0.0, 1.0]


@pytest.mark.parametrize("is_first", [True, False], ids=["with its plugin", "without its plugin"])
def test_a_histogram_that_is_a_tensor_is_read(event_file: Any, is_first: bool) -> None:
    from tensorboard.compat.proto.event_pb2 import Event
    from tensorboard.compat.proto.summary_pb2 import Summary
    from tensorboard.plugins.histogram.summary import histogram_pb

    values = histogram_pb("h", np.array([0.0, 1.0, 1.0, 4.0]), buckets=2).value
    event_file.append(Event(wall_time=2.0, step=1, summary=Summary(value=values)))
    if not is_first:  # TensorBoard's writers name the plugin at a tag's first value only
        values[0].ClearField("metadata")
        event_file.append(Event(wall_time=3.0, step=2, summary=Summary(value=values)))

    (found,) = Reader(event_file.path).refresh().histograms.values()

    assert found.bins[-1].edges.tolist() == [0.0, 2.0, 4.0]
    assert found.bins[-1].counts.tolist() == [3.0, 1.0]
    assert len(found) == (1 if is_first else 2)


def test_a_histogram_whose_buckets_do_not_fit_is_counted_as_malformed(event_file: Any) -> None:
    from tensorboard.compat.proto.event_pb2 import Event
    from tensorboard.compat.proto.summary_pb2 import HistogramProto, Summary

    broken = HistogramProto(min=0, max=2, num=3, bucket_limit=[1.0], bucket=[1.0, 2.0])
    event_file.append(Event(wall_time=2.0, step=1, summary=Summary(value=[Summary.Value(tag="h", histo=broken)])))
    event_file.write(2, {"loss": 1.0})

    recording = Reader(event_file.path).refresh()

    assert (recording.histograms, recording.malformed) == ({}, 1)
