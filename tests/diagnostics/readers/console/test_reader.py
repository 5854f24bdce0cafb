"""Tests of what trainers print, beyond what every reader must do, on what TRL printed and what verl prints."""

import math
import shutil
from pathlib import Path

import numpy as np
import pytest

from diagnostics.api import open_run
from diagnostics.model.messages import render
from diagnostics.model.outcome import Verdict
from diagnostics.readers.console import trainings
from diagnostics.readers.discovery import find
from diagnostics.readers.files.head_and_end import HEAD_BYTES
from diagnostics.readers.tensorboard import reader as tensorboard
from diagnostics.rules import evaluate
from diagnostics.texts import templates
from tests.diagnostics.readers.consoles import FIXTURES, PRINTED, RAY, SETTINGS, VERL, left_for, points, read, written

DIGITS = 6e-4  # relative: four digits are printed


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
    assert (run.data_health.rounded_to, run.notes.count(trainings.ROUNDED)) == (0.0005, 1)
    (outcome,) = [outcome for outcome in evaluate(run) if outcome.rule == "policy-not-updating"]
    assert outcome.verdict is Verdict.SKIPPED
    assert "actor/lr" in render(outcome.message, templates())


@pytest.mark.parametrize("rows", [verl_rows(""), verl_rows("") + f"{RAY}step:21 - val-core/gsm8k/acc:0.125\n"])
def test_numbers_with_all_their_digits_are_not_rounded(tmp_path: Path, rows: str) -> None:
    run = open_run(written(tmp_path, rows))

    assert (run.data_health.rounded_to, run.notes.count(trainings.ROUNDED)) == (0.0, 0)
    (outcome,) = [outcome for outcome in evaluate(run) if outcome.rule == "policy-not-updating"]
    assert outcome.verdict is not Verdict.SKIPPED


OTHER = "\x1b[2m\x1b[36m(abcWorkerDict_0:0 WorkerDict pid=9)\x1b[0m "


@pytest.mark.parametrize("other", [OTHER, "(pid=9) ", "(WorkerDict pid=9, ip=10.0.0.1) "])
@pytest.mark.parametrize("behind", ["'ppo_epochs': 1},", "'adv_estimator': 'grpo',", "'gamma': 1.0},"])
def test_settings_that_another_process_talked_into_are_put_together_again(
    other: str, behind: str, tmp_path: Path
) -> None:
    talk = f"{other}Traceback {{'actor':\n{other}  File 'a.py'}}}}\nLoading:  33%|███  | 1/3 [00:00<00:01, 1.5it/s]\n"
    torn = VERL.replace(f"{behind}\n", f"{behind}{talk}")

    assert torn != VERL
    assert read(written(tmp_path, torn)).config == read(written(tmp_path, VERL, "whole.log")).config


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


def test_verl_is_known_by_its_settings_before_its_first_row(tmp_path: Path) -> None:
    run = open_run(written(tmp_path, SETTINGS))

    assert (run.producer, run.algorithm, run.status.state) == ("verl", "grpo", "running")
    assert run.config["actor_rollout_ref"]["rollout"]["n"] == 4
    assert find(tmp_path) != []


def test_a_text_is_known_by_a_row_in_its_head_or_its_end(tmp_path: Path) -> None:
    row, noise = "step:1 - loss:0.5\n", "loading layer #0...\n"
    much = noise * (2 * HEAD_BYTES // len(noise))
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


def test_what_was_printed_joins_the_log_of_the_tracker_with_its_values_whenever_they_were_written(
    tmp_path: Path,
) -> None:
    shutil.copytree(FIXTURES / "trl" / "ppo112_nmb1" / "out" / "runs", tmp_path / "runs")
    file = Path(shutil.copy(PRINTED / "ppo112.log", tmp_path / "train.log"))
    other = Path(shutil.copy(PRINTED / "grpo116.log", tmp_path / "other.log"))
    for written_to, ago in {file: 1000, other: 10, **dict.fromkeys(tmp_path.rglob("events*"), 5000)}.items():
        left_for(written_to, ago)

    found = {ref.format: ref for ref in find(tmp_path)}

    assert [ref.format for ref in find(tmp_path)] == ["console", "tensorboard"]
    assert [part.path.name for part in found["tensorboard"].parts[1:]] == ["train.log"]
    assert [ref.format for ref in find(file)] == ["console"]


def test_what_was_printed_of_another_training_stays_apart(tmp_path: Path) -> None:
    shutil.copytree(FIXTURES / "trl" / "ppo112_nmb2" / "out" / "runs", tmp_path / "runs")
    shutil.copy(PRINTED / "ppo112.log", tmp_path / "train.log")

    assert [(ref.format, ref.parts) for ref in find(tmp_path)] == [("tensorboard", ()), ("console", ())]
