"""What every reader of metrics must do, whatever the format, on files written by the format's own writer.

A test applies to all formats (`writer`) or to a group of them, which is named in `conftest.py` and declared by the
writers themselves.
"""

import math
import shutil
from fnmatch import fnmatch
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from diagnostics.readers.base import FORMATS, UnreadableRun
from diagnostics.readers.discovery import find, open_readers
from tests.diagnostics.readers.observed_runs import bytes_read, loss_points, points, truncated_lengths
from tests.diagnostics.readers.writers.catalog import METRIC_WRITERS, SAMPLE_WRITERS

BEYOND_A_FLOAT = 2**53 + 1  # the first whole number that no float holds
BYTES_OF_A_LOOK = 32_000  # some pages of a database; much less of other files
MILLION = 1_000_000


def test_every_mark_of_every_format_is_under_conformance_test() -> None:
    covered = {(kind.form, kind.mark) for kind in (*METRIC_WRITERS, *SAMPLE_WRITERS)}

    assert {(form.name, mark) for form in FORMATS for mark in form.marks} == covered


def test_what_was_written_comes_back(writer: Any) -> None:
    writer.write(1, {"loss": 0.5, "kl": -0.25})
    writer.write(2, {"loss": 0.75})

    recording = writer.reader().refresh()

    assert points(recording, "loss") == [(1, 0.5), (2, 0.75)]
    assert points(recording, "kl") == [(1, -0.25)]
    assert (np.dtype(np.int64), np.dtype(np.float64)) == (
        recording.tags["kl"].steps.dtype,
        recording.tags["kl"].values.dtype,
    )
    assert recording.malformed == 0


def test_the_first_points_are_a_run(writer: Any, tmp_path: Path) -> None:
    steps = range(1, writer.fewest_rows + 1)
    for step in steps:
        assert find(tmp_path) == [] or writer.begins_empty
        writer.write(step, {"loss": 0.5})

    (ref,) = find(tmp_path)
    (reader,) = open_readers(ref)
    recording = reader.refresh()

    written = [(step, 0.5) for step in steps]
    assert (ref.format, points(recording, "loss"), recording.status.step) == (writer.form, written, steps[-1])
    assert [path for path in writer.content() if fnmatch(path.name, writer.mark)]


def test_steps_are_whole_numbers_of_any_size(naming_writer: Any) -> None:
    naming_writer.write(0, {"loss": 0.5})
    naming_writer.write(BEYOND_A_FLOAT, {"loss": 0.75})

    assert naming_writer.reader().refresh().tags["loss"].steps.tolist() == [0, BEYOND_A_FLOAT]


def test_nan_and_both_infinities_come_back(writer: Any) -> None:
    for step, value in enumerate((math.nan, math.inf, -math.inf)):
        writer.write(step, {"loss": value})

    values = writer.reader().refresh().tags["loss"].values

    assert np.array_equal([np.nan, np.inf, -np.inf], values, equal_nan=True)


def test_a_run_without_points_opens(beginning_writer: Any) -> None:
    assert beginning_writer.reader().refresh().tags == {}


def test_names_may_be_of_any_language(writer: Any) -> None:
    writer.write(1, {"奖励/😀 é": 1.0})

    assert points(writer.reader().refresh(), "奖励/😀 é") == [(1, 1.0)]


def test_a_step_of_very_many_names_comes_back(writer: Any) -> None:
    names = {f"layer/{number}": number + 0.5 for number in range(5000)}
    writer.write(1, names)

    tags = writer.reader().refresh().tags

    assert {tag: float(raw.values[0]) for tag, raw in tags.items()} == names


@pytest.mark.slow
def test_a_step_of_a_million_names_comes_back(million_writer: Any) -> None:
    million_writer.write(1, {f"layer/{number}": number + 0.5 for number in range(MILLION)})

    tags = million_writer.reader().refresh().tags

    assert len(tags) == MILLION
    assert all(tags[f"layer/{number}"].values.tolist() == [number + 0.5] for number in range(0, MILLION, 997))


def test_points_stay_in_the_order_of_the_file(naming_writer: Any) -> None:
    for step in (1, 3, 2, 2):  # not back to its first one, which on a console is the beginning of another training
        naming_writer.write(step, {"loss": 0.0})

    assert naming_writer.reader().refresh().tags["loss"].steps.tolist() == [1, 3, 2, 2]


def test_a_torn_tail_is_held_back_until_it_is_whole(appending_writer: Any) -> None:
    appending_writer.write(1, {"loss": 1.0})
    reader = appending_writer.reader()
    reader.refresh()
    before = appending_writer.file.stat().st_size
    appending_writer.write(2, {"loss": 2.0})
    whole = appending_writer.file.read_bytes()

    for size in range(before, len(whole)):
        appending_writer.file.write_bytes(whole[:size])
        assert points(appending_writer.reader().refresh(), "loss") == [(1, 1.0)]
        assert points(reader.refresh(), "loss") == [(1, 1.0)]
    appending_writer.file.write_bytes(whole)
    assert points(reader.refresh(), "loss") == [(1, 1.0), (2, 2.0)]
    assert reader.refresh().malformed == 0


def test_a_file_that_is_half_written_anew_is_held_back(sealed_writer: Any) -> None:
    sealed_writer.write(1, {"loss": 1.0})
    reader = sealed_writer.reader()
    before = loss_points(reader)
    sealed_writer.write(2, {"loss": 2.0})
    after = loss_points(sealed_writer.reader())
    whole = sealed_writer.file.read_bytes()

    for size in truncated_lengths(len(whole)):
        sealed_writer.file.write_bytes(whole[:size])
        assert loss_points(sealed_writer.reader()) in (None, after)
        assert loss_points(reader) in (before, after)
    sealed_writer.file.write_bytes(whole)
    assert loss_points(reader) == after == [(1, 1.0), (2, 2.0)]
    assert reader.refresh().malformed == 0


def test_of_a_file_that_is_half_written_anew_whole_rows_are_read(open_ended_writer: Any) -> None:
    open_ended_writer.write_rows((step, {"loss": step + 0.125}) for step in range(1, 4))
    reader = open_ended_writer.reader()
    after = loss_points(reader)
    whole = open_ended_writer.file.read_bytes()

    for size in range(len(whole)):
        open_ended_writer.file.write_bytes(whole[:size])
        assert loss_points(reader) in (None, after[:0], after[:1], after[:2], after)
    open_ended_writer.file.write_bytes(whole)
    assert loss_points(reader) == after == [(1, 1.125), (2, 2.125), (3, 3.125)]
    assert reader.refresh().malformed == 0


def test_a_database_that_was_cut_off_says_so_or_gives_what_is_whole(database_writer: Any) -> None:
    database_writer.write_rows((step, {"loss": float(step)}) for step in range(1, 500))
    reader = database_writer.reader()
    whole = loss_points(reader)
    content = database_writer.file.read_bytes()

    for size in truncated_lengths(len(content)):
        database_writer.file.write_bytes(content[:size])
        for found in (loss_points(reader), loss_points(database_writer.reader())):
            assert found is None or found == whole[: len(found)]
    database_writer.file.write_bytes(content)
    assert loss_points(reader) == whole


def test_a_corrupt_record_in_the_middle_costs_only_itself(writer: Any) -> None:
    for step in (1, 2, 3):
        writer.write(step, {"loss": float(step)})
    writer.corrupt(1)

    recording = writer.reader().refresh()

    assert points(recording, "loss") == [(1, 1.0), (3, 3.0)]
    assert recording.malformed == 1


def test_a_growing_file_is_read_on_from_where_it_was(writer: Any) -> None:
    writer.write(1, {"loss": 1.0})
    reader = writer.reader()
    reader.refresh()
    for step in range(2, 7):
        writer.write(step, {"loss": float(step)})
        assert points(reader.refresh(), "loss") == [(seen, float(seen)) for seen in range(1, step + 1)]


def test_a_run_is_followed_from_before_its_first_point(beginning_writer: Any) -> None:
    reader = beginning_writer.reader()
    reader.refresh()
    beginning_writer.write(1, {"loss": 1.0})

    assert points(reader.refresh(), "loss") == [(1, 1.0)]


def test_a_name_that_comes_up_later_has_its_points(writer: Any) -> None:
    writer.write(1, {"loss": 1.0})
    reader = writer.reader()
    reader.refresh()
    writer.write(2, {"loss": 2.0, "kl": 0.5})
    writer.write(3, {"loss": 3.0, "kl": 0.25})

    recording = reader.refresh()

    assert points(recording, "loss") == [(1, 1.0), (2, 2.0), (3, 3.0)]
    assert points(recording, "kl") == [(2, 0.5), (3, 0.25)]
    assert recording.malformed == 0


@pytest.mark.skipif(not Path("/proc/self/io").exists(), reason="only Linux counts a process's reads")
def test_no_byte_is_read_twice(followed_writer: Any) -> None:
    followed_writer.write_rows((step, {"loss": 0.0, "reward": 1.0}) for step in range(3000))
    reader = followed_writer.reader()
    reader.refresh()
    followed_writer.write(3000, {"loss": 0.0, "reward": 1.0})
    before = bytes_read()

    reader.refresh()

    assert bytes_read() - before < BYTES_OF_A_LOOK < followed_writer.file.stat().st_size


def test_what_was_handed_out_does_not_change_when_the_run_grows(writer: Any) -> None:
    writer.write(1, {"loss": 1.0})
    reader = writer.reader()
    first = reader.refresh()
    for start in range(2, 200, 50):
        writer.write_rows((step, {"loss": 0.0}) for step in range(start, start + 50))
        reader.refresh()

    assert points(first, "loss") == [(1, 1.0)]


def test_nothing_new_gives_the_same_recording(writer: Any) -> None:
    writer.write(1, {"loss": 1.0})
    reader = writer.reader()
    writer.close()

    assert reader.refresh() is reader.refresh()


def test_a_run_that_was_put_back_is_read_from_the_start(writer: Any) -> None:
    writer.write(1, {"loss": 1.0})
    short = writer.content()
    writer.write(2, {"loss": 2.0})
    reader = writer.reader()
    reader.refresh()
    writer.put_back(short)

    assert points(reader.refresh(), "loss") == [(1, 1.0)]


def test_a_file_that_was_replaced_is_read_from_the_start(writer: Any) -> None:
    writer.write(1, {"loss": 1.0})
    reader = writer.reader()
    reader.refresh()
    old = writer.file.rename(writer.file.with_name("aside"))
    writer.file.write_bytes(old.read_bytes())

    assert points(reader.refresh(), "loss") == [(1, 1.0)]


def test_a_file_that_was_begun_anew_and_has_outgrown_itself_is_read_from_the_start(
    appending_writer: Any, tmp_path: Path
) -> None:
    appending_writer.write(1, {"loss": 1.0})
    reader = appending_writer.reader()
    reader.refresh()
    again = type(appending_writer)(tmp_path / "again")
    again.write_rows((step, {"loss": 7.0}) for step in (1, 2, 3))
    again.close()
    appending_writer.file.write_bytes(again.file.read_bytes())

    assert points(reader.refresh(), "loss") == [(1, 7.0), (2, 7.0), (3, 7.0)]


def test_a_run_that_was_removed_says_so(writer: Any) -> None:
    writer.write(1, {"loss": 1.0})
    reader = writer.reader()
    reader.refresh()
    writer.close()
    shutil.rmtree(writer.path)

    with pytest.raises(UnreadableRun, match="is gone"):
        reader.refresh()


def test_a_loop_of_links_makes_no_double_and_ends(writer: Any, tmp_path: Path) -> None:
    steps = range(1, writer.fewest_rows + 1)
    writer.write_rows((step, {"loss": 0.5}) for step in steps)
    (alone,) = find(tmp_path)
    for name, target in (("itself", writer.path), ("above", tmp_path)):
        (writer.path / name).symlink_to(target)
        (tmp_path / name).symlink_to(target)

    (ref,) = find(tmp_path)

    assert ref == alone
    assert points(open_readers(ref)[0].refresh(), "loss") == [(step, 0.5) for step in steps]
