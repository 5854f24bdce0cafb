"""What every reader must do, whatever the format, on files that the format's own writer wrote."""

import math
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from diagnostics.readers import UnreadableRun


def points(recording: Any, tag: str) -> list[tuple[int, float]]:
    raw = recording.tags[tag]
    return list(zip(raw.steps.tolist(), raw.values.tolist(), strict=True))


def bytes_read() -> int:
    """Bytes that this process has read from files so far, by the kernel's count."""
    fields = dict(line.split(": ") for line in Path("/proc/self/io").read_text().splitlines())
    return int(fields["rchar"])


def test_what_was_written_comes_back(writer: Any) -> None:
    writer.write(1, {"loss": 0.5, "kl": -0.25})
    writer.write(2**40, {"loss": 0.75})

    recording = writer.reader().refresh()

    assert points(recording, "loss") == [(1, 0.5), (2**40, 0.75)]
    assert points(recording, "kl") == [(1, -0.25)]
    assert (np.dtype(np.int64), np.dtype(np.float64)) == (
        recording.tags["kl"].steps.dtype,
        recording.tags["kl"].values.dtype,
    )
    assert recording.malformed == 0


def test_nan_and_both_infinities_come_back(writer: Any) -> None:
    for step, value in enumerate((math.nan, math.inf, -math.inf)):
        writer.write(step, {"loss": value})

    values = writer.reader().refresh().tags["loss"].values

    assert np.array_equal([np.nan, np.inf, -np.inf], values, equal_nan=True)


def test_a_run_without_points_opens(writer: Any) -> None:
    assert writer.reader().refresh().tags == {}


def test_names_may_be_of_any_language(writer: Any) -> None:
    writer.write(1, {"奖励/😀 é": 1.0})

    assert points(writer.reader().refresh(), "奖励/😀 é") == [(1, 1.0)]


def test_a_step_of_very_many_names_comes_back(writer: Any) -> None:
    names = {f"layer/{number}": number + 0.5 for number in range(5000)}
    writer.write(1, names)

    tags = writer.reader().refresh().tags

    assert {tag: float(raw.values[0]) for tag, raw in tags.items()} == names


def test_points_stay_in_the_order_of_the_file(writer: Any) -> None:
    for step in (1, 2, 1, 1):
        writer.write(step, {"loss": 0.0})

    assert writer.reader().refresh().tags["loss"].steps.tolist() == [1, 2, 1, 1]


def test_a_torn_tail_is_held_back_until_it_is_whole(writer: Any) -> None:
    writer.write(1, {"loss": 1.0})
    reader = writer.reader()
    reader.refresh()
    before = writer.file.stat().st_size
    writer.write(2, {"loss": 2.0})
    whole = writer.file.read_bytes()

    for size in range(before, len(whole)):
        writer.file.write_bytes(whole[:size])
        assert points(writer.reader().refresh(), "loss") == [(1, 1.0)]
        assert points(reader.refresh(), "loss") == [(1, 1.0)]
    writer.file.write_bytes(whole)
    assert points(reader.refresh(), "loss") == [(1, 1.0), (2, 2.0)]
    assert reader.refresh().malformed == 0


def test_a_corrupt_record_in_the_middle_costs_only_itself(writer: Any) -> None:
    starts = []
    for step in (1, 2, 3):
        starts.append(writer.file.stat().st_size)
        writer.write(step, {"loss": float(step)})
    writer.file.write_bytes(writer.corrupt(writer.file.read_bytes(), starts[1]))

    recording = writer.reader().refresh()

    assert points(recording, "loss") == [(1, 1.0), (3, 3.0)]
    assert recording.malformed == 1


def test_a_growing_file_is_read_on_from_where_it_was(writer: Any) -> None:
    reader = writer.reader()
    reader.refresh()
    for step in range(1, 6):
        writer.write(step, {"loss": float(step)})
        assert [float(seen) for seen in range(1, step + 1)] == reader.refresh().tags["loss"].values.tolist()


@pytest.mark.skipif(not Path("/proc/self/io").exists(), reason="only Linux counts a process's reads")
def test_no_byte_is_read_twice(writer: Any) -> None:
    for step in range(3000):
        writer.write(step, {"loss": 0.0, "reward": 1.0})
    reader = writer.reader()
    reader.refresh()
    writer.write(3000, {"loss": 0.0})
    before = bytes_read()

    reader.refresh()

    assert bytes_read() - before < 20_000 < writer.file.stat().st_size


def test_what_was_handed_out_does_not_change_when_the_run_grows(writer: Any) -> None:
    writer.write(1, {"loss": 1.0})
    reader = writer.reader()
    first = reader.refresh()
    for step in range(2, 200):
        writer.write(step, {"loss": 0.0})
    reader.refresh()

    assert points(first, "loss") == [(1, 1.0)]


def test_nothing_new_gives_the_same_recording(writer: Any) -> None:
    writer.write(1, {"loss": 1.0})
    reader = writer.reader()
    writer.close()

    assert reader.refresh() is reader.refresh()


def test_a_file_that_shrank_is_read_from_the_start(writer: Any) -> None:
    writer.write(1, {"loss": 1.0})
    short = writer.file.read_bytes()
    writer.write(2, {"loss": 2.0})
    reader = writer.reader()
    reader.refresh()
    writer.file.write_bytes(short)

    assert points(reader.refresh(), "loss") == [(1, 1.0)]


def test_a_file_that_was_replaced_is_read_from_the_start(writer: Any) -> None:
    writer.write(1, {"loss": 1.0})
    reader = writer.reader()
    reader.refresh()
    old = writer.file.rename(writer.file.with_name("aside"))
    writer.file.write_bytes(old.read_bytes())

    assert points(reader.refresh(), "loss") == [(1, 1.0)]


def test_a_run_that_was_removed_says_so(writer: Any) -> None:
    writer.write(1, {"loss": 1.0})
    reader = writer.reader()
    reader.refresh()
    writer.close()
    shutil.rmtree(writer.path)

    with pytest.raises(UnreadableRun, match="is gone"):
        reader.refresh()
