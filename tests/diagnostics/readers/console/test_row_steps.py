"""Tests of the steps that printed rows belong to."""

import shutil
from pathlib import Path

from diagnostics.api import open_run
from diagnostics.readers.console import reader as console
from diagnostics.readers.console import row_steps
from diagnostics.readers.single_file import SILENCE_LIMIT_SECONDS
from tests.diagnostics.readers.consoles import PRINTED, RAY, VERL, left_for, points, read, written


def test_steps_that_no_row_names_are_those_of_the_progress_bar(tmp_path: Path) -> None:
    file = Path(shutil.copy(PRINTED / "grpo-eval.log", tmp_path))
    recording = read(left_for(file, 2 * SILENCE_LIMIT_SECONDS))

    assert recording.tags["reward"].steps.tolist() == [4, 8, 12, 16, 20, 24]
    assert recording.tags["eval/reward"].steps.tolist() == [6, 12, 18, 24]
    assert recording.notes == (row_steps.BY_BAR,)
    run = open_run(file)
    assert (run.producer, run.algorithm, run.status.state, run.status.total) == ("trl", "grpo", "finished", 24)


def test_without_a_bar_rows_are_counted_and_that_is_told() -> None:
    recording = read(PRINTED / "grpo-stdout.log")

    assert recording.tags["reward"].steps.tolist() == [1, 2, 3, 4]
    assert recording.tags["eval/reward"].steps.tolist() == [1, 2, 4, 4]
    assert recording.notes == (row_steps.COUNTED,)


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


def test_a_training_behind_another_that_ended_is_told(tmp_path: Path) -> None:
    by_bar, without = ((PRINTED / f"{name}.log").read_text() for name in ("grpo-eval", "grpo-stdout"))

    recording = read(written(tmp_path, by_bar + by_bar.replace("/24 [", "/48 [")))
    assert recording.tags["loss"].steps.tolist() == 2 * [4, 8, 12, 16, 20, 24]
    assert recording.status.total == 48
    assert recording.notes == (row_steps.BY_BAR, row_steps.SEVERAL.format(count=2, rows=12))

    recording = read(written(tmp_path, without * 3))
    assert recording.tags["loss"].steps.tolist() == [*range(1, 13)]
    assert recording.status.total is None
    assert recording.notes == (row_steps.COUNTED, row_steps.SEVERAL.format(count=3, rows="10, 19"))


def test_updates_of_ppo_that_begin_again_are_another_training(tmp_path: Path) -> None:
    recording = read(written(tmp_path, (PRINTED / "ppo112.log").read_text() * 2))

    assert recording.tags["val/ratio"].steps.tolist() == [*range(1, 17)]
    assert (recording.status.total, recording.notes) == (None, (row_steps.SEVERAL.format(count=2, rows=9),))


def test_an_evaluation_behind_a_training_is_no_other_training(tmp_path: Path) -> None:
    bar = "\r100%|█████| 8/8 [00:00<00:00, 9.1it/s]"
    recording = read(
        written(tmp_path, (PRINTED / "grpo-eval.log").read_text() + f"{bar}{{'eval_loss': 1, 'epoch': 3}}\n")
    )

    assert (recording.status.total, recording.notes) == (24, (row_steps.BY_BAR,))


def test_rows_are_followed_while_the_bar_moves(tmp_path: Path) -> None:
    whole = (PRINTED / "grpo-eval.log").read_bytes()
    file = tmp_path / "train.log"
    file.write_bytes(b"")
    reader = console.Reader(file)
    for size in range(0, len(whole), 997):
        file.write_bytes(whole[:size])
        reader.refresh()
    file.write_bytes(whole)

    assert points(reader.refresh(), "loss") == points(read(PRINTED / "grpo-eval.log"), "loss")


def test_the_newest_row_stands_at_the_bar_behind_it_which_ends_no_line(tmp_path: Path) -> None:
    row, bars = "\r                    \r{'loss': 0.5, 'epoch': 0.1}\n", "\r 50%|█| 1/4 [00:01<00:01, 1it/s]"
    file = written(tmp_path, f"{bars}{row}{bars.replace('1/4', '2/4')}")
    reader = console.Reader(file)

    assert points(reader.refresh(), "loss") == [(2, 0.5)]
    with file.open("a") as more:
        more.write(f"{row}{bars.replace('1/4', '4/4')}")
    assert points(reader.refresh(), "loss") == [(2, 0.5), (4, 0.5)]
