"""Tests of what trainers print, beyond what every reader must do, on what TRL printed and what verl prints."""

import math
import os
import shutil
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from diagnostics.api import diagnose, open_run
from diagnostics.diagnosis import Verdict
from diagnostics.messages import render
from diagnostics.readers import console, console_places, tensorboard
from diagnostics.readers.console_lines import Bar, Panel, Row, number_in, printed
from diagnostics.readers.discovery import find
from diagnostics.readers.single_file import SILENCE_LIMIT_SECONDS
from diagnostics.rules import evaluate, templates

FIXTURES = Path(__file__).parents[2] / "fixtures"
PRINTED = FIXTURES / "console"
DIGITS = 6e-4  # relative: four digits are printed
RAY = "\x1b[36m(TaskRunner pid=7)\x1b[0m "
SETTINGS = f"""{RAY}{{'actor_rollout_ref': {{'actor': {{'optim': {{'lr': 1e-06}}, 'ppo_epochs': 1}},
{RAY}                       'rollout': {{'n': 4, 'name': 'vllm'}}}},
(WorkerDict pid=9) {{'actor_rollout_ref': 'of another'}}
(WorkerDict pid=9)                        'of': 'another',
{RAY} 'algorithm': {{'adv_estimator': 'grpo',
{RAY}/usr/lib/vllm.py:8: RuntimeWarning: Failed to read commit hash:
{RAY}   from vllm.version import __version__ as VLLM_VERSION
{RAY}               'gamma': 1.0}},
{RAY} 'trainer': {{'total_epochs': 1}}}}
"""
VERL = f"""{SETTINGS}{RAY}step:0 - val-core/gsm8k/acc:0.25
{RAY}Training Progress:   0%|          | 0/3 [00:00<?, ?it/s]
{RAY}step:1 - actor/pg_loss:np.float64(-0.5) - critic/score/mean:0.25 - actor/pg_clipfrac:0.0
Training Progress:  33%|███▎      | 1/3 [00:05<00:10, 5.0s/it]step:2 - actor/pg_loss:nan - critic/score/mean:0.5
(WorkerDict pid=9) saved to checkpoints/global_step:2 - done, timing/step:1.25
"""


def points(recording: Any, tag: str) -> list[tuple[int, float]]:
    return list(zip(recording.tags[tag].steps.tolist(), recording.tags[tag].values.tolist(), strict=True))


def written(folder: Path, text: str, name: str = "train.log") -> Path:
    file = folder / name
    file.write_text(text)
    return file


def left_for(file: Path, seconds: float) -> Path:
    """As if nobody had written to it for so long."""
    os.utime(file, (time.time() - seconds,) * 2)
    return file


def read(file: Path) -> Any:
    return console.Reader(file).refresh()


@pytest.mark.parametrize(
    ("log", "events"), [("grpo116.log", "grpo116/out/runs"), ("ppo112.log", "ppo112_nmb1/out/runs")]
)
def test_what_trl_printed_is_what_it_logged_to_four_digits(log: str, events: str) -> None:
    (folder,) = (FIXTURES / "trl" / events).iterdir()
    logged = tensorboard.Reader(folder).refresh().tags
    recording = read(PRINTED / log)

    assert len(recording.tags) > 15
    for tag, series in recording.tags.items():
        truth = logged.get(f"train/{tag}", logged.get(tag))
        if truth is not None and tag != "epoch":  # which event files hold for evaluations too
            assert series.steps.tolist() == truth.steps.tolist(), tag
            np.testing.assert_allclose(series.values, truth.values, rtol=DIGITS, atol=1e-9)
    assert (recording.malformed, recording.notes) == (0, ())


def test_steps_that_no_row_names_are_those_of_the_progress_bar(tmp_path: Path) -> None:
    file = Path(shutil.copy(PRINTED / "grpo-eval.log", tmp_path))
    recording = read(left_for(file, 2 * SILENCE_LIMIT_SECONDS))

    assert recording.tags["reward"].steps.tolist() == [4, 8, 12, 16, 20, 24]
    assert recording.tags["eval/reward"].steps.tolist() == [6, 12, 18, 24]
    assert recording.notes == (console_places.BY_BAR,)
    run = open_run(file)
    assert (run.producer, run.algorithm, run.status.state, run.status.total) == ("trl", "grpo", "finished", 24)


def test_without_a_bar_rows_are_counted_and_that_is_told() -> None:
    recording = read(PRINTED / "grpo-stdout.log")

    assert recording.tags["reward"].steps.tolist() == [1, 2, 3, 4]
    assert recording.tags["eval/reward"].steps.tolist() == [1, 2, 4, 4]
    assert recording.notes == (console_places.COUNTED,)


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
    assert recording.notes == (console_places.BY_BAR, console_places.SEVERAL.format(count=2, rows=12))

    recording = read(written(tmp_path, without * 3))
    assert recording.tags["loss"].steps.tolist() == [*range(1, 13)]
    assert recording.status.total is None
    assert recording.notes == (console_places.COUNTED, console_places.SEVERAL.format(count=3, rows="10, 19"))


def test_updates_of_ppo_that_begin_again_are_another_training(tmp_path: Path) -> None:
    recording = read(written(tmp_path, (PRINTED / "ppo112.log").read_text() * 2))

    assert recording.tags["val/ratio"].steps.tolist() == [*range(1, 17)]
    assert (recording.status.total, recording.notes) == (None, (console_places.SEVERAL.format(count=2, rows=9),))


def test_an_evaluation_behind_a_training_is_no_other_training(tmp_path: Path) -> None:
    bar = "\r100%|█████| 8/8 [00:00<00:00, 9.1it/s]"
    recording = read(
        written(tmp_path, (PRINTED / "grpo-eval.log").read_text() + f"{bar}{{'eval_loss': 1, 'epoch': 3}}\n")
    )

    assert (recording.status.total, recording.notes) == (24, (console_places.BY_BAR,))


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


def test_a_training_that_raised_has_failed_once_it_is_silent(tmp_path: Path) -> None:
    file = Path(shutil.copy(PRINTED / "grpo-crash.log", tmp_path))

    assert read(left_for(file, 0)).status.state == "running"
    recording = read(left_for(file, 2 * console.CRASH_SECONDS))
    assert (recording.status.state, recording.status.error) == ("failed", "ValueError: no answer key")
    assert "in length" in recording.console_tail
    assert recording.console == file


@pytest.mark.parametrize(
    ("end", "error"),
    [
        (
            "subprocess.CalledProcessError: Command '[python]' returned non-zero exit status 1.\n",
            "ValueError: no answer key",
        ),
        ("torch.distributed.elastic.multiprocessing.errors.ChildFailedError:\n", "ValueError: no answer key"),
        ("KeyError: 'solution'\n", "KeyError: 'solution'"),
    ],
)
def test_what_a_launcher_says_of_a_failure_does_not_hide_it(tmp_path: Path, end: str, error: str) -> None:
    file = Path(shutil.copy(PRINTED / "grpo-crash.log", tmp_path))
    with file.open("a") as more:
        more.write(f'Traceback (most recent call last):\n  File "/bin/accelerate", line 7, in <module>\n{end}')

    assert read(left_for(file, 1000)).status.error == error


@pytest.mark.parametrize(
    ("end", "error", "verdict"),
    [
        ("Killed\n", "Killed", Verdict.QUIET),
        ("run.sh: line 3:  4711 Killed                  python train.py\n", "", Verdict.QUIET),
        (
            "slurmstepd: error: *** JOB 7 ON n1 CANCELLED AT 2026-11-23T09:00:00 DUE TO TIME LIMIT ***\n",
            "",
            Verdict.QUIET,
        ),
        ("slurmstepd: error: Detected 1 oom_kill event in StepId=7.0. Some of the step tasks\n", "", Verdict.FIRED),
        (
            "Traceback (most recent call last):\ntorch.distributed.elastic.multiprocessing.errors.ChildFailedError:\n"
            "  traceback : Signal 9 (SIGKILL) received by PID 4711\n",
            "traceback : Signal 9 (SIGKILL) received by PID 4711",
            Verdict.QUIET,
        ),
    ],
)
def test_a_training_that_was_killed_has_failed(tmp_path: Path, end: str, error: str, verdict: Verdict) -> None:
    file = left_for(written(tmp_path, f"{{'loss': 0.5, 'epoch': 0.1}}\n{end}"), 1000)

    run = open_run(file)
    assert (run.status.state, run.status.error) == ("failed", error or end.strip())
    assert next(outcome for outcome in evaluate(run) if outcome.rule == "oom").verdict is verdict


def test_a_training_that_somebody_ended_has_not_failed(tmp_path: Path) -> None:
    file = Path(shutil.copy(PRINTED / "grpo-crash.log", tmp_path))
    file.write_text(file.read_text().replace("ValueError: no answer key", "KeyboardInterrupt"))

    status = read(left_for(file, 1000)).status
    assert (status.state, status.error) == ("stopped", None)


@pytest.mark.parametrize("line", ["Killed by a stray process, he said", "skilled", "prompt: the king was Killed"])
def test_answers_that_speak_of_killing_are_no_end(tmp_path: Path, line: str) -> None:
    file = left_for(written(tmp_path, f"{{'loss': 0.5, 'epoch': 0.1}}\n{line}\n"), 1000)

    assert read(file).status.state == "silent"


def test_a_training_that_raised_before_its_first_row_is_a_run_that_failed(tmp_path: Path) -> None:
    lines = (PRINTED / "grpo-crash.log").read_text().splitlines(keepends=True)
    file = left_for(written(tmp_path, "".join(line for line in lines if "'epoch'" not in line)), 1000)

    (ref,) = find(tmp_path)
    run = open_run(ref.path)
    assert (run.status.state, run.status.error, run.status.step) == ("failed", "ValueError: no answer key", None)
    assert (run.series, run.console) == ({}, file)
    assert diagnose(run).verdict == "not-judged"


def test_verl_is_known_by_its_settings_before_its_first_row(tmp_path: Path) -> None:
    run = open_run(written(tmp_path, SETTINGS))

    assert (run.producer, run.algorithm, run.status.state) == ("verl", "grpo", "running")
    assert run.config["actor_rollout_ref"]["rollout"]["n"] == 4
    assert find(tmp_path) != []


@pytest.mark.parametrize("frame", ["/home/user/eval.py", "/lib/transformers/trainer.py", "/my/trl.py", "/sverl/a.py"])
def test_the_errors_of_other_programs_are_no_runs(frame: str, tmp_path: Path) -> None:
    written(tmp_path, f'Traceback (most recent call last):\n  File "{frame}", line 3, in main\nValueError: no\n')
    assert find(tmp_path) == []


def test_a_training_that_went_on_after_an_error_has_not_failed(tmp_path: Path) -> None:
    traceback = "Traceback (most recent call last):\n  File 'a.py', line 1\nValueError: no answer\n"
    file = written(tmp_path, f"{{'loss': 0.5, 'epoch': 0.1}}\n{traceback}{{'loss': 0.25, 'epoch': 0.2}}\n")

    assert read(left_for(file, 2 * console.CRASH_SECONDS)).status.state == "running"


def test_what_verl_prints_is_read_with_its_settings(tmp_path: Path) -> None:
    recording = read(written(tmp_path, VERL))

    assert points(recording, "critic/score/mean") == [(1, 0.25), (2, 0.5)]
    assert points(recording, "val-core/gsm8k/acc") == [(0, 0.25)]
    assert math.isnan(points(recording, "actor/pg_loss")[1][1])
    assert (recording.status.step, recording.status.total, recording.malformed) == (2, 3, 0)
    assert recording.config["algorithm"] == {"adv_estimator": "grpo", "gamma": 1.0}
    assert recording.config["actor_rollout_ref"]["rollout"]["n"] == 4
    assert [*recording.config] == ["actor_rollout_ref", "algorithm", "trainer"]
    run = open_run(recording.path)
    assert (run.producer, run.algorithm) == ("verl", "grpo")


def verl_rows(form: str, rows: int = 20) -> str:
    """What verl printed of a training that goes well, its numbers in this form."""
    numbers = [(step, {"critic/score/mean": step / 40, "actor/grad_norm": 0.25, "actor/lr": 1e-6, "actor/ppo_kl": 0.0})
               for step in range(1, rows + 1)]  # fmt: skip
    pairs = ((step, [f"{name}:{value:{form}}" for name, value in row.items()]) for step, row in numbers)
    return "".join(f"{RAY}step:{step} - {' - '.join(row)}\n" for step, row in pairs)


@pytest.mark.parametrize("after", ["", f"{RAY}step:21 - actor/lr:1e-06\n"])
def test_a_learning_rate_that_verl_rounded_to_nothing_is_no_learning_rate_of_zero(tmp_path: Path, after: str) -> None:
    run = open_run(written(tmp_path, verl_rows(".3f") + after))

    assert run.get("learning_rate").values[:20].tolist() == [0.0] * 20
    assert (run.data_health.rounded_to, run.notes.count(console.ROUNDED)) == (0.0005, 1)
    (outcome,) = [outcome for outcome in evaluate(run) if outcome.rule == "policy-not-updating"]
    assert outcome.verdict is Verdict.SKIPPED
    assert "actor/lr" in render(outcome.message, templates())


@pytest.mark.parametrize("rows", [verl_rows(""), verl_rows("") + f"{RAY}step:21 - val-core/gsm8k/acc:0.125\n"])
def test_numbers_with_all_their_digits_are_not_rounded(tmp_path: Path, rows: str) -> None:
    run = open_run(written(tmp_path, rows))

    assert (run.data_health.rounded_to, run.notes.count(console.ROUNDED)) == (0.0, 0)
    (outcome,) = [outcome for outcome in evaluate(run) if outcome.rule == "policy-not-updating"]
    assert outcome.verdict is not Verdict.SKIPPED


@pytest.mark.parametrize("cut", ["'gamma': 1.0}", "'trainer'", "'n': 4"])
def test_settings_that_are_not_whole_are_none(tmp_path: Path, cut: str) -> None:
    recording = read(written(tmp_path, VERL.replace(cut, "")))

    assert recording.config == {}
    assert points(recording, "critic/score/mean") == [(1, 0.25), (2, 0.5)]


def test_a_row_that_names_its_step_is_believed(tmp_path: Path) -> None:
    rows = "{'loss': '0.5', 'epoch': '0.1', 'global_step/max_steps': '5/50', 'percentage': '10.00%', 'memory': None}\n"

    recording = read(written(tmp_path, rows + rows.replace("5/50", "10/50")))

    assert points(recording, "loss") == [(5, 0.5), (10, 0.5)]
    assert (recording.status.total, recording.malformed, recording.notes) == (50, 0, ())


@pytest.mark.parametrize(
    "line",
    [
        "{'accuracy': 0.5, 'count': 3}",
        "saved to /checkpoints/global_step:9 - done:1",
        "timing/step:1 - loss:0.5",
        "Map: 100%|██████████| 7473/7473 [00:01<00:00, 6000 examples/s]",
        "Loading checkpoint shards:   0%|          | 0/4 [00:00<?, ?it/s]",
        "the 'epoch': 3",
        "",
    ],
)
def test_other_words_are_no_rows_and_make_no_run(line: str, tmp_path: Path) -> None:
    assert [item for item in printed(line) if not isinstance(item, Row) or item.values] == []
    written(tmp_path, f"{line}\n" * 3)
    assert find(tmp_path) == []


@pytest.mark.parametrize(
    ("line", "found"),
    [
        ("\r 12%|█▎        | 3/24 [00:00<00:01, 11.86it/s]", [Bar(3, 24)]),
        ("0:   1%|          | 17/2264 [01:22<2:55:16,  4.68s/it]", [Bar(17, 2264)]),
        (" 16% 15/96 [22:02<1:36:54, 71.79s/it]Both `max_new_tokens` seem set", [Bar(15, 96)]),
        ("  0%|  | 1/9 [00:19<159:06:22, 19.2s/it]  0%|  | 2/9 [00:26<99:54:13, 12.0s/it]", [Bar(1, 9), Bar(2, 9)]),
        ("╭──────────── Step 12 ────────────╮", [Panel(12)]),
        ("  1%| | 1/9 [0:19<1:06, 1s/it]{'kl': 0.5, 'epoch': 0.1}", [Bar(1, 9), Row({"kl": 0.5, "epoch": 0.1})]),
        ("[rank0]: {'kl': 1e-05, 'epoch': 1} and more", [Row({"kl": 1e-05, "epoch": 1.0})]),
        ("""{"it's": 1, 'a': [1, 2], 'epoch': 1}""", [Row({"it's": 1.0, "epoch": 1.0})]),
    ],
)
def test_bars_and_rows_are_found_as_terminals_schedulers_and_notebooks_leave_them(line: str, found: list[Any]) -> None:
    items = list(printed(line))

    assert [Row(item.values) if isinstance(item, Row) else item for item in items] == found


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("0.5", 0.5),
        ("-1e-05", -1e-05),
        ("np.float64(0.25)", 0.25),
        ("np.int64(3)", 3.0),
        ("tensor(0.5)", 0.5),
        ("tensor(2., device='cuda:0')", 2.0),
        ("inf", math.inf),
        ("None", None),
        ("fast", None),
        ("1.2.3", None),
        ("", None),
    ],
)
def test_numbers_are_read_as_python_numpy_and_torch_print_them(text: str, number: float | None) -> None:
    assert number_in(text) == number


def test_a_text_is_known_by_a_row_in_its_head_or_its_end(tmp_path: Path) -> None:
    row, noise = "step:1 - loss:0.5\n", "loading layer #0...\n"
    much = noise * (2 * console.HEAD_BYTES // len(noise))
    written(tmp_path, row + much, "head.log")
    written(tmp_path, much + row, "end.log")
    written(tmp_path, much, "none.log")

    assert [ref.path.name for ref in find(tmp_path)] == ["end.log", "head.log"]


def test_a_text_is_a_run_from_its_first_row_on(tmp_path: Path) -> None:
    file = written(tmp_path, "loading layer #0...\n")
    assert find(tmp_path) == []

    with file.open("a") as more:
        more.write("step:1 - loss:0.5\n")
    assert [ref.path for ref in find(tmp_path)] == [file]
    file.write_text("")
    assert find(tmp_path) == []


def test_beside_the_one_log_of_a_tracker_what_was_printed_is_not_listed_twice(tmp_path: Path) -> None:
    shutil.copytree(FIXTURES / "trl" / "ppo112_nmb1" / "out" / "runs", tmp_path / "runs")
    file = Path(shutil.copy(PRINTED / "ppo112.log", tmp_path / "train.log"))
    for written_to in (file, *tmp_path.rglob("events*")):
        left_for(written_to, 1000)

    assert [ref.format for ref in find(tmp_path)] == ["tensorboard"]
    assert [ref.format for ref in find(file)] == ["console"]
    left_for(file, 3000)  # of another training, as far as one can tell
    assert [ref.format for ref in find(tmp_path)] == ["tensorboard", "console"]
    left_for(file, 1000)
    shutil.copy2(file, tmp_path / "other.log")
    assert [ref.format for ref in find(tmp_path)] == ["console", "tensorboard", "console"]


def test_the_copy_that_wandb_keeps_is_not_listed_beside_its_run(tmp_path: Path) -> None:
    shutil.copytree(FIXTURES / "trl" / "ppo112_nmb1" / "wandbdir", tmp_path / "wandbdir")
    (folder,) = (tmp_path / "wandbdir" / "wandb").glob("offline-run-*")
    (folder / "files").mkdir(exist_ok=True)
    shutil.copy(PRINTED / "ppo112.log", folder / "files" / "output.log")
    for written_to in (folder / "files" / "output.log", *folder.glob("*.wandb")):
        left_for(written_to, 1000)

    assert [ref.format for ref in find(tmp_path)] == ["wandb"]
