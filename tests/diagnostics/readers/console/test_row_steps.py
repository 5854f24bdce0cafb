"""Tests of the steps that printed rows belong to."""

import re
import shutil
from pathlib import Path

import pytest

from diagnostics.api import open_run
from diagnostics.readers.console import reader as console
from diagnostics.readers.console import row_steps
from diagnostics.readers.liveness import SILENCE_LIMIT_SECONDS
from tests.diagnostics.readers.consoles import PRINTED, RAY, VERL, left_for, points, read, written

ROW = re.compile(r"(\{'.*'epoch': .*\})")


def test_steps_that_no_row_names_are_those_of_the_progress_bar(tmp_path: Path) -> None:
    file = Path(shutil.copy(PRINTED / "grpo-eval.log", tmp_path))
    recording = read(left_for(file, 2 * SILENCE_LIMIT_SECONDS))

    assert recording.tags["reward"].steps.tolist() == [4, 8, 12, 16, 20, 24]
    assert recording.tags["eval/reward"].steps.tolist() == [6, 12, 18, 24]
    assert recording.notes == (row_steps.BY_BAR,)
    run = open_run(file)
    assert (run.producer, run.algorithm, run.status.state, run.status.total) == ("trl", "grpo", "finished", 24)


def held_back(text: str, rows: int) -> str:
    """The same with the rows in a buffer that holds this many, while the progress bar goes its way unbuffered."""
    printed, kept = list[str](), list[str]()
    for line in re.findall(r"[^\n]*\n?", text):
        before, row, _ = ROW.split(line) if ROW.search(line) else (line, "", "")
        printed.append(before)
        kept += [f"{row}\n"] if row else []
        if len(kept) == rows and line.endswith("\n") and not row:
            printed += kept
            kept = []
    return "".join([*printed, "\n", *kept])


@pytest.mark.parametrize("rows", [1, 3, 7, 100])
def test_rows_that_a_buffer_held_back_have_the_steps_at_which_the_bar_was_drawn_anew(rows: int, tmp_path: Path) -> None:
    text = (PRINTED / "grpo-eval.log").read_bytes().decode()
    direct, late = read(PRINTED / "grpo-eval.log"), read(written(tmp_path, held_back(text, rows)))

    assert {tag: points(direct, tag) for tag in direct.tags} == {tag: points(late, tag) for tag in late.tags}
    assert late.notes == (row_steps.BY_BAR,)
    assert (late.status.step, late.status.total, late.status.state) == (24, 24, "finished")


def erased(step: int) -> str:
    """How tqdm makes room for a row: the bar, blanks over it, and the bar again."""
    bar = f"\r {step}%|█| {step}/100 [00:01<00:01, 1it/s]"
    return f"{bar}\r{' ' * 40}\r{bar}"


@pytest.mark.parametrize("left", [0, 2])
def test_rows_still_in_the_buffer_leave_the_others_their_steps(left: int, tmp_path: Path) -> None:
    bars = "".join(erased(step) for step in range(20, 120, 20))
    rows = [f"{{'loss': 0.5, 'epoch': {step / 50}}}\n" for step in range(20, 120, 20)]

    recording = read(written(tmp_path, f"{bars}\n{''.join(rows[: 5 - left])}"))

    assert recording.tags["loss"].steps.tolist() == [*range(20, 120 - 20 * left, 20)]


def test_a_bar_that_was_drawn_anew_for_other_words_is_not_trusted_against_the_epochs(tmp_path: Path) -> None:
    bars = "".join(erased(step) for step in (3, 5, 40, 60, 80))
    rows = "".join(f"{{'loss': 0.5, 'epoch': {step / 50}}}\n" for step in (20, 40, 60, 80))

    assert read(written(tmp_path, f"{bars}\n{rows}")).notes == (row_steps.COUNTED,)


SUMMARY = "{'train_runtime': 2.5, 'train_loss': 0.5, 'epoch': 1.52}\n"
END = "100%|█| 50/50 [00:01<00:01, 1it/s]\n"
START = "  0%|          | 0/50 [00:00<?, ?it/s]\n"


def test_without_a_bar_that_moves_epochs_tell_how_many_steps_lie_between_two_rows(tmp_path: Path) -> None:
    rows = "".join(f"{{'loss': 0.5, 'epoch': {round(step / 33, 2)}}}\n" for step in range(5, 55, 5))

    recording = read(written(tmp_path, START + rows + SUMMARY + END))

    assert recording.tags["loss"].steps.tolist() == [*range(5, 55, 5)]
    assert points(recording, "train_runtime") == [(50, 2.5)]
    assert (recording.notes, recording.status.state) == ((row_steps.BY_EPOCHS,), "finished")


def test_rows_that_a_text_lost_leave_a_gap(tmp_path: Path) -> None:
    rows = "".join(f"{{'loss': 0.5, 'epoch': {round(step / 33, 2)}}}\n" for step in (*range(1, 25), 48, 49))

    recording = read(written(tmp_path, START + rows + SUMMARY + END))

    assert recording.tags["loss"].steps.tolist() == [*range(1, 25), 48, 49]


def test_a_row_for_each_planned_step_needs_no_guess(tmp_path: Path) -> None:
    rows = "{'loss': 0.5, 'epoch': 0.01}\n" * 50

    recording = read(written(tmp_path, START + rows + SUMMARY + END))

    assert (recording.tags["loss"].steps.tolist(), recording.notes) == ([*range(1, 51)], ())


def test_epochs_of_a_training_that_did_not_end_tell_nothing(tmp_path: Path) -> None:
    rows = "".join(f"{{'loss': 0.5, 'epoch': {round(step / 33, 2)}}}\n" for step in range(5, 40, 5))

    assert read(written(tmp_path, START + rows)).notes == (row_steps.COUNTED,)


def test_without_a_bar_rows_are_counted_until_the_summary_tells_the_steps(tmp_path: Path) -> None:
    printed = (PRINTED / "grpo-stdout.log").read_text("utf-8")
    growing, whole = (
        read(written(tmp_path, printed.partition("{'train_runtime'")[0])),
        read(PRINTED / "grpo-stdout.log"),
    )

    assert growing.tags["reward"].steps.tolist() == [1, 2, 3, 4]
    assert growing.tags["eval/reward"].steps.tolist() == [1, 2, 4, 4]
    assert growing.notes == (row_steps.COUNTED,)
    assert whole.tags["reward"].steps.tolist() == [5, 10, 15, 20]
    assert whole.notes == (row_steps.BY_EPOCHS,)


def test_a_summary_whose_rate_is_rounded_too_much_tells_no_steps(tmp_path: Path) -> None:
    rows = "".join(f"{{'loss': {number}.5, 'epoch': {number / 8}}}\n" for number in range(1, 5))
    ends = "{'train_runtime': '2000.0', 'train_steps_per_second': '0.01', 'train_loss': '0.1', 'epoch': '0.5'}\n"
    assert read(written(tmp_path, rows + ends)).tags["loss"].steps.tolist() == [1, 2, 3, 4]


def test_a_bar_that_stands_still_while_rows_come_is_not_theirs(tmp_path: Path) -> None:
    bar = "  1%|          | 10/1000 [00:01<01:00, 1.0it/s]\n"
    rows = [f"{{'loss': {number}.5, 'epoch': 0.1}}\n" for number in range(20)]
    held_back = "".join(text for number, row in enumerate(rows) for text in ([bar] if number % 8 == 0 else []) + [row])

    assert read(written(tmp_path, held_back)).tags["loss"].steps.tolist() == list(range(1, 21))


def test_the_bar_of_an_evaluation_is_not_that_of_the_training(tmp_path: Path) -> None:
    row, evaluation, training = (
        "{'loss': 0.5, 'epoch': 0.1}\n",
        " 50%|█| 1/2 [00:01<00:01, 1it/s]\n",
        " 75%|█| 3/4 [00:01<00:01, 1it/s]\n",
    )
    last = training.replace("3/4", "4/4")
    recording = read(written(tmp_path, "".join([training, row, evaluation, training, row, evaluation, last])))

    assert (recording.tags["loss"].steps.tolist(), recording.status.total) == ([3, 4], 4)


def test_a_loop_that_ended_before_the_training_gives_it_no_length(tmp_path: Path) -> None:
    file = written(tmp_path, "100%|██| 7473/7473 [00:01<00:00, 6000it/s]\n" + "{'loss': 0.5, 'epoch': 0.1}\n" * 2)
    recording = read(file)

    assert (recording.tags["loss"].steps.tolist(), recording.status.total) == ([1, 2], None)


def test_updates_of_ppo_are_its_steps_and_the_summary_belongs_to_the_last(tmp_path: Path) -> None:
    rows = [f"{{'objective/kl': 0.5, 'episode': {8 * update}, 'epoch': 0.1}}\n" for update in (1, 2, 3)]
    recording = read(written(tmp_path, "".join([*rows, "{'train_runtime': '2.5', 'epoch': '1'}\n"])))

    assert points(recording, "train_runtime") == [(3, 2.5)]
    assert recording.notes == ()


def test_a_silent_training_that_reached_its_last_step_has_finished(tmp_path: Path) -> None:
    file = written(tmp_path, VERL + f"{RAY}step:3 - critic/score/mean:0.5\n")

    assert read(left_for(file, 2 * SILENCE_LIMIT_SECONDS)).status.state == "finished"
    file.write_text(VERL)
    assert read(left_for(file, 2 * SILENCE_LIMIT_SECONDS)).status.state == "silent"


def test_an_evaluation_behind_a_training_is_no_other_training(tmp_path: Path) -> None:
    bar = "\r100%|█████| 8/8 [00:00<00:00, 9.1it/s]"
    recording = read(
        written(tmp_path, (PRINTED / "grpo-eval.log").read_text() + f"{bar}{{'eval_loss': 1, 'epoch': 3}}\n")
    )

    assert (recording.status.total, recording.notes) == (24, (row_steps.BY_BAR,))


@pytest.mark.parametrize("log", ["grpo-eval", "grpo116", "ppo112"])
def test_rows_are_followed_while_the_bar_moves(log: str, tmp_path: Path) -> None:
    whole = (PRINTED / f"{log}.log").read_bytes()
    file = tmp_path / "train.log"
    file.write_bytes(b"")
    reader = console.Reader(file)
    for size in range(0, len(whole), 997):
        file.write_bytes(whole[:size])
        reader.refresh()
    file.write_bytes(whole)

    found, expected = reader.refresh(), read(PRINTED / f"{log}.log")
    assert {tag: points(found, tag) for tag in expected.tags} == {tag: points(expected, tag) for tag in expected.tags}


def test_the_newest_row_stands_at_the_bar_behind_it_which_ends_no_line(tmp_path: Path) -> None:
    row, bars = "\r                    \r{'loss': 0.5, 'epoch': 0.1}\n", "\r 50%|█| 1/4 [00:01<00:01, 1it/s]"
    file = written(tmp_path, f"{bars}{row}{bars.replace('1/4', '2/4')}")
    reader = console.Reader(file)

    assert points(reader.refresh(), "loss") == [(2, 0.5)]
    with file.open("a") as more:
        more.write(f"{row}{bars.replace('1/4', '4/4')}")
    assert points(reader.refresh(), "loss") == [(2, 0.5), (4, 0.5)]
