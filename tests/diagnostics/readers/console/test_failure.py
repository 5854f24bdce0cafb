"""Tests of what a training died of, as shown by the end of its console output."""

import shutil
from pathlib import Path

import pytest

from diagnostics.api import diagnose, open_run
from diagnostics.model.outcome import Verdict
from diagnostics.readers.console import reader as console
from diagnostics.readers.discovery import find
from diagnostics.readers.liveness import CRASH_SECONDS
from diagnostics.rules import evaluate
from tests.diagnostics.readers.consoles import PRINTED, left_for, read, written


def test_a_training_that_raised_has_failed_once_it_is_silent(tmp_path: Path) -> None:
    file = Path(shutil.copy(PRINTED / "grpo-crash.log", tmp_path))

    assert read(left_for(file, 0)).status.state == "running"
    recording = read(left_for(file, 2 * CRASH_SECONDS))
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
    assert diagnose(run).verdict == "critical"
    assert [outcome.rule for outcome in diagnose(run).fired] == ["run-died"]


@pytest.mark.parametrize("frame", ["/home/user/eval.py", "/lib/transformers/trainer.py", "/my/trl.py", "/sverl/a.py"])
def test_the_errors_of_other_programs_are_no_runs(frame: str, tmp_path: Path) -> None:
    written(tmp_path, f'Traceback (most recent call last):\n  File "{frame}", line 3, in main\nValueError: no\n')
    assert find(tmp_path) == []


def test_a_training_that_went_on_after_an_error_has_not_failed(tmp_path: Path) -> None:
    traceback = "Traceback (most recent call last):\n  File 'a.py', line 1\nValueError: no answer\n"
    file = written(tmp_path, f"{{'loss': 0.5, 'epoch': 0.1}}\n{traceback}{{'loss': 0.25, 'epoch': 0.2}}\n")

    assert read(left_for(file, 2 * CRASH_SECONDS)).status.state == "running"


def test_an_error_without_an_end_of_line_is_read_when_nothing_follows(tmp_path: Path) -> None:
    whole = (PRINTED / "grpo-crash.log").read_text()
    file = written(tmp_path, whole.rstrip("\n"))
    assert read(left_for(file, 1)).status.state == "running"
    assert read(left_for(file, 1000)).status.error == "ValueError: no answer key"


def test_a_last_row_without_an_end_of_line_is_read_when_nothing_follows(tmp_path: Path) -> None:
    file = written(tmp_path, "{'loss': 0.5, 'reward': 1.0, 'epoch': 1.0}\n{'loss': 0.25, 'reward': 2.0, 'epoch': 2.0}")
    reader = console.Reader(left_for(file, 1))
    assert reader.refresh().tags["reward"].values.tolist() == [1.0]
    left_for(file, 1000)
    assert reader.refresh().tags["reward"].values.tolist() == [1.0, 2.0]
    with file.open("a") as more:
        more.write("\n{'loss': 0.25, 'reward': 3.0, 'epoch': 3.0}\n")
    assert reader.refresh().tags["reward"].values.tolist() == [1.0, 2.0, 3.0]


def test_a_row_that_is_torn_waits_for_its_rest_however_long(tmp_path: Path) -> None:
    file = written(tmp_path, "{'loss': 0.5, 'reward': 1.0, 'epoch': 1.0}\n{'loss': 0.25, 'reward': 2")
    reader = console.Reader(left_for(file, 1000))
    assert reader.refresh().tags["reward"].values.tolist() == [1.0]
    with file.open("a") as more:
        more.write("5.0, 'epoch': 2.0}\n")
    assert reader.refresh().tags["reward"].values.tolist() == [1.0, 25.0]
