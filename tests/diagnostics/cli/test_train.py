"""Tests of `rlvitals train` and `stop`: a real training in a process, its exit code, its signals, and applied fixes."""

import json
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

COMMAND = Path(sys.executable).with_name("rlvitals")
TINY = ("--max_steps", "2", "--per_device_train_batch_size", "16", "--report_to", "none")


def test_a_training_is_diagnosed_and_relaunched_with_its_fixes(rlvitals, cut_off_run: Path, tmp_path: Path) -> None:
    trained = rlvitals("train", "--from", cut_off_run, "--apply-fixes", "--run_dir", "child", *TINY)
    child = json.loads((tmp_path / "child" / "run.json").read_text())
    parent = json.loads((cut_off_run / "run.json").read_text())
    assert trained.returncode == 0
    assert "Relaunching with max_completion_length 8 → " in trained.stderr
    assert child["parent"] == parent["run_id"]
    assert child["config"]["max_completion_length"] > parent["config"]["max_completion_length"]


def test_a_typed_field_wins_over_a_fix(rlvitals, cut_off_run: Path, tmp_path: Path) -> None:
    words = ("--from", cut_off_run, "--apply-fixes", "--max_completion_length", "9", "--run_dir", "child")
    assert rlvitals("train", "grpo", *words, *TINY).returncode == 0
    assert json.loads((tmp_path / "child" / "run.json").read_text())["config"]["max_completion_length"] == 9


def test_a_healthy_run_has_nothing_to_apply(rlvitals, healthy_run: Path) -> None:
    refused = rlvitals("train", "--from", healthy_run, "--apply-fixes")
    assert refused.returncode == 2
    assert "shows no cause whose fix is a setting" in refused.stderr


def test_fixes_need_a_run_to_come_from(rlvitals) -> None:
    refused = rlvitals("train", "grpo", "--apply-fixes")
    assert (refused.returncode, refused.stderr) == (
        2,
        "rlvitals: --apply-fixes needs --from RUN: the fixes come from that run's diagnosis\n",
    )


def test_the_trainers_exit_code_passes_through(rlvitals) -> None:
    assert rlvitals("train", "grpo", "--no_such_option", "1").returncode == 2


@pytest.mark.process
def test_a_signal_reaches_the_training_which_stops_with_a_checkpoint(tmp_path: Path) -> None:
    words = ("train", "grpo", "--max_steps", "5000", "--report_to", "none", "--run_dir", "long")
    process = subprocess.Popen([COMMAND, *words], cwd=tmp_path, stderr=subprocess.DEVNULL)
    events = tmp_path / "long" / "events.jsonl"
    deadline = time.monotonic() + 90
    while not (events.exists() and events.stat().st_size) and time.monotonic() < deadline:
        time.sleep(0.2)
    process.send_signal(signal.SIGTERM)
    assert process.wait(60) == 0
    assert json.loads((tmp_path / "long" / "status.json").read_text())["state"] == "stopped"
    assert list((tmp_path / "long" / "checkpoints").iterdir())


def test_stop_says_why_there_is_nothing_to_stop(rlvitals, healthy_run: Path) -> None:
    refused = rlvitals("stop", healthy_run)
    assert refused.returncode == 2
    assert "has already ended" in refused.stderr
