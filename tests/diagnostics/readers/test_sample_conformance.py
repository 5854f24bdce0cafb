"""What every reader of sampled completions must do, whatever the format: the counterpart of `test_conformance`.

A test applies to all formats (`sample_writer`) or to a group of them, which is named in `conftest.py` and declared by
the writers themselves.
"""

import math
import shutil
from fnmatch import fnmatch
from pathlib import Path
from typing import Any

import pytest

from diagnostics.readers.base import UnreadableRun
from diagnostics.readers.discovery import find, open_readers
from tests.diagnostics.readers.observed_runs import recording_or_none, truncated_lengths
from tests.diagnostics.readers.writers.samples import Answer
from tests.diagnostics.readers.writers.writer import Growth

FIRST, SECOND, THIRD = Answer("1 + 1 =", "2", 1.0), Answer("2 + 2 =", "4", 0.25), Answer("3 + 3 =", "7", -0.5)
MANY = 500


def answers(recording: Any, step: int) -> list[Answer]:
    """What a recording has of a step."""
    return [Answer(sample.query, sample.response, sample.score) for sample in recording.samples.at(step)]


def every_answer(reader: Any) -> Any:
    """What a reader finds, by step; None where it says that the run cannot be read."""
    recording = recording_or_none(reader)
    return recording and {step: answers(recording, step) for step in recording.samples.steps}


def test_what_was_written_comes_back(sample_writer: Any) -> None:
    sample_writer.write(1, [FIRST, SECOND])
    sample_writer.write(2**40, [THIRD])

    recording = sample_writer.reader().refresh()

    assert recording.samples.steps == (1, 2**40)
    assert (answers(recording, 1), answers(recording, 2**40)) == ([FIRST, SECOND], [THIRD])
    assert {sample.step for sample in recording.samples.at(1)} == {1}
    assert (dict(recording.tags), recording.malformed) == ({}, 0)


def test_one_sample_is_a_run(sample_writer: Any, tmp_path: Path) -> None:
    sample_writer.write(3, [FIRST])

    (ref,) = find(tmp_path)
    (reader,) = open_readers(ref)

    assert (ref.format, every_answer(reader)) == (sample_writer.form, {3: [FIRST]})
    assert [path for path in sample_writer.content() if fnmatch(path.name, sample_writer.mark)]


def test_a_run_without_samples_opens(beginning_sample_writer: Any) -> None:
    assert beginning_sample_writer.reader().refresh().samples.steps == ()


def test_texts_may_be_of_any_language_and_length(sample_writer: Any) -> None:
    found = Answer("什么是“奖励”？ 😀\n\tأهلا", "é\u2028\n" * 3 + "x" * 100_000, 1.0)
    sample_writer.write(1, [found])

    assert every_answer(sample_writer.reader()) == {1: [found]}


def test_a_score_that_is_no_number_comes_back(nan_sample_writer: Any) -> None:
    nan_sample_writer.write(1, [Answer("a", "b", value) for value in (math.nan, math.inf, -math.inf, 1.0)])

    scores = [sample.score for sample in nan_sample_writer.reader().refresh().samples.at(1)]

    assert math.isnan(scores[0])
    assert scores[1:] == [math.inf, -math.inf, 1.0]


def test_many_steps_come_back_in_their_order(sample_writer: Any) -> None:
    sample_writer.write_steps({step: [Answer("q", str(step), 1.0)] for step in range(1, MANY + 1)})

    recording = sample_writer.reader().refresh()

    assert recording.samples.steps == tuple(range(1, MANY + 1))
    assert answers(recording, MANY) == [Answer("q", str(MANY), 1.0)]


def test_a_step_of_many_samples_comes_back(sample_writer: Any) -> None:
    found = {Answer(str(number), "a", number / 4) for number in range(MANY)}
    sample_writer.write(1, sorted(found))

    assert {*answers(sample_writer.reader().refresh(), 1)} == found


def test_a_growing_run_gains_its_steps(sample_writer: Any) -> None:
    sample_writer.write(1, [FIRST])
    reader = sample_writer.reader()
    reader.refresh()
    for step in range(2, 6):
        sample_writer.write(step, [SECOND, THIRD])
        assert every_answer(reader) == {1: [FIRST], **{seen: [SECOND, THIRD] for seen in range(2, step + 1)}}


def test_a_run_is_followed_from_before_its_first_sample(beginning_sample_writer: Any) -> None:
    reader = beginning_sample_writer.reader()
    reader.refresh()
    beginning_sample_writer.write(1, [FIRST])

    assert every_answer(reader) == {1: [FIRST]}


def test_what_was_handed_out_does_not_change_when_the_run_grows(sample_writer: Any) -> None:
    sample_writer.write(1, [FIRST])
    reader = sample_writer.reader()
    first = reader.refresh()
    sample_writer.write(2, [SECOND])
    reader.refresh()

    assert (first.samples.steps, answers(first, 1), answers(first, 2)) == ((1,), [FIRST], [])


def test_nothing_new_gives_the_same_recording(sample_writer: Any) -> None:
    sample_writer.write(1, [FIRST])
    reader = sample_writer.reader()
    sample_writer.close()

    assert reader.refresh() is reader.refresh()


def test_of_a_step_that_is_half_written_whole_samples_are_read(part_sample_writer: Any) -> None:
    part_sample_writer.write(1, [FIRST])
    reader = part_sample_writer.reader()
    reader.refresh()
    before = part_sample_writer.file.read_bytes() if part_sample_writer.file.exists() else b""
    part_sample_writer.write(2, [SECOND, THIRD])
    whole = part_sample_writer.file.read_bytes()
    start = len(before) if whole.startswith(before) else 0

    for size in (start + cut for cut in truncated_lengths(len(whole) - start)):
        part_sample_writer.file.write_bytes(whole[:size])
        for looking in (reader, part_sample_writer.reader()):
            found = every_answer(looking)
            assert found[1] == [FIRST]
            assert [answer for answer in (SECOND, THIRD) if answer in found.get(2, [])] == found.get(2, [])
    part_sample_writer.file.write_bytes(whole)
    assert every_answer(reader) == {1: [FIRST], 2: [SECOND, THIRD]}


def test_a_file_that_is_half_written_anew_is_held_back(whole_sample_writer: Any) -> None:
    whole_sample_writer.write(1, [FIRST])
    reader = whole_sample_writer.reader()
    reader.refresh()
    whole_sample_writer.write(2, [SECOND])
    whole = whole_sample_writer.file.read_bytes()

    for size in truncated_lengths(len(whole)):
        whole_sample_writer.file.write_bytes(whole[:size])
        assert every_answer(whole_sample_writer.reader()) is None
        assert reader.refresh().samples.steps == (1,)
    whole_sample_writer.file.write_bytes(whole)
    assert every_answer(reader) == {1: [FIRST], 2: [SECOND]}


def test_a_corrupt_row_in_the_middle_costs_only_itself(row_sample_writer: Any) -> None:
    row_sample_writer.write(1, [FIRST, SECOND, THIRD])
    row_sample_writer.corrupt(1)

    assert every_answer(row_sample_writer.reader()) == {1: [FIRST, THIRD]}


def test_a_step_that_cannot_be_read_costs_only_itself(sample_writer: Any) -> None:
    sample_writer.write_steps({1: [FIRST], 2: [SECOND]})
    sample_writer.corrupt(int(sample_writer.growth is not Growth.BY_STEP))
    sample_writer.write(3, [THIRD])

    found = every_answer(sample_writer.reader())

    assert (found[1], found.get(2, []), found[3]) == ([FIRST], [], [THIRD])


def test_a_file_that_was_replaced_is_read_from_the_start(sample_writer: Any) -> None:
    sample_writer.write(1, [FIRST])
    reader = sample_writer.reader()
    reader.refresh()
    sample_writer.close()
    aside = sample_writer.path.rename(sample_writer.path.with_name("aside"))
    again = type(sample_writer)(sample_writer.path)
    again.write(1, [SECOND, THIRD])
    again.close()
    shutil.rmtree(aside)

    assert every_answer(reader) == {1: [SECOND, THIRD]}


def test_a_run_that_was_removed_says_so_and_has_no_samples_any_more(sample_writer: Any) -> None:
    sample_writer.write(1, [FIRST])
    reader = sample_writer.reader()
    before = reader.refresh()
    sample_writer.close()
    shutil.rmtree(sample_writer.path)

    assert before.samples.at(1) == ()
    with pytest.raises(UnreadableRun, match="is gone"):
        reader.refresh()


def test_a_loop_of_links_makes_no_double_and_ends(sample_writer: Any, tmp_path: Path) -> None:
    sample_writer.write(1, [FIRST])
    (alone,) = find(tmp_path)
    for folder in {tmp_path, sample_writer.path, sample_writer.file.parent}:
        (folder / "itself").symlink_to(folder)
        (folder / "above").symlink_to(tmp_path)

    (ref,) = find(tmp_path)

    assert ref == alone
    assert every_answer(open_readers(ref)[0]) == {1: [FIRST]}
