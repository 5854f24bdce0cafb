"""Tests of what is said of real processes that hang, leak and die: each is one, bounded by its test."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from diagnostics.api import diagnose, open_run
from diagnostics.model.diagnosis import Diagnosis
from diagnostics.model.outcome import Severity
from diagnostics.wording.messages import message_text

pytestmark = pytest.mark.process

MOST_SECONDS = 90.0
LOOP = """
import os, resource, sys
import psutil
from diagnostics.runlog import RunLog

def log_steps(log, steps, act=lambda step: None):
    for step in range(1, steps + 1):
        act(step)
        rss = psutil.Process().memory_info().rss / 2**30
        log.log(step, {"reward": step / 1000, "system/process_rss_gb": rss})
"""
LEAK = """
kept = []
def leak(step):
    kept.append(bytearray(b"x" * (4 << 20)))
"""
OUT_OF_MEMORY = f"""{LOOP}{LEAK}
most = psutil.Process().memory_info().vms + (320 << 20)
with RunLog(sys.argv[1], algorithm="grpo", total=1000) as log:
    resource.setrlimit(resource.RLIMIT_AS, (most, most))
    log_steps(log, 1000, leak)
"""
KILLED = f"""{LOOP}{LEAK}
import time
log = RunLog(sys.argv[1], algorithm="grpo", total=1000)
log_steps(log, 60, leak)
print("ready", flush=True)
time.sleep(60)
"""
FULL_DISK = f"""{LOOP}
def save(step):
    with open(f"{{sys.argv[2]}}/checkpoint-{{step}}", "wb") as file:
        file.write(b"x" * 30_000)
with RunLog(sys.argv[1], algorithm="grpo", total=1000) as log:
    log_steps(log, 1000, save)
"""
LOADER = f"""{LOOP}
from torch.utils.data import DataLoader, Dataset
class Broken(Dataset):
    def __len__(self):
        return 100
    def __getitem__(self, index):
        if index == 5:
            os.kill(os.getpid(), 9)
        return index
if __name__ == "__main__":
    with RunLog(sys.argv[1], algorithm="grpo", total=1000) as log:
        rows = iter(DataLoader(Broken(), num_workers=1, collate_fn=list))
        log_steps(log, 100, lambda step: next(rows))
"""
GRADER = """
import time

def careful(prompts, completions, trainer_state, **columns):
    while trainer_state.global_step >= 4:
        time.sleep(0.1)
    return [float(len(completion)) for completion in completions]
"""
TRAIN = """
import sys
from trainer.rewards import slow_call
slow_call.PATIENCE_SECONDS = 2.0
from trainer.main import main
sys.exit(main(sys.argv[1:]))
"""


def script(folder: Path, text: str) -> Path:
    """The program as a file: spawned workers import it again."""
    path = folder / "loop.py"
    path.write_text(text)
    return path


@contextmanager
def running(folder: Path, *words: object) -> Iterator["subprocess.Popen[str]"]:
    """A process that is killed at the end, if it has not ended."""
    command = [sys.executable, *map(str, words)]
    root = str(Path(__file__).parents[1])
    environment = {**os.environ, "PYTHONPATH": root}
    with subprocess.Popen(
        command, cwd=folder, env=environment, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    ) as process:
        try:
            yield process
        finally:
            process.kill()


def diagnosed_after(folder: Path, text: str, *words: object) -> Diagnosis:
    """The diagnosis of a loop that has ended by itself."""
    with running(folder, script(folder, text), folder / "run", *words) as process:
        process.wait(MOST_SECONDS)
    return diagnose(open_run(folder / "run"))


def severities(diagnosis: Diagnosis) -> dict[str, Severity | None]:
    return {outcome.rule: outcome.severity for outcome in diagnosis.fired}


def causes(diagnosis: Diagnosis) -> dict[str, str]:
    return {cause.cause: message_text(cause.summary) for cause in diagnosis.causes}


def told(diagnosis: Diagnosis, rule: str) -> str:
    return message_text(next(outcome.message for outcome in diagnosis.fired if outcome.rule == rule))


def test_a_loop_that_leaks_until_no_memory_is_left_is_told_as_a_leak(tmp_path: Path) -> None:
    diagnosis = diagnosed_after(tmp_path, OUT_OF_MEMORY)
    assert diagnosis.run.status.state == "failed"
    assert severities(diagnosis) == {"oom": Severity.CRITICAL, "memory-climbs": Severity.WARNING}
    assert causes(diagnosis) == {"memory-runs-out": "Memory grew from step to step until it ran out."}
    last = diagnosis.run.last_step
    assert told(diagnosis, "oom") == f"The run ended after step {last}: MemoryError."
    assert "Memory of the process grew by 0.0039" in told(diagnosis, "memory-climbs")


def test_a_loop_that_leaks_and_is_killed_is_told_as_both(tmp_path: Path) -> None:
    with running(tmp_path, script(tmp_path, KILLED), tmp_path / "run") as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        process.send_signal(signal.SIGKILL)
        process.wait(MOST_SECONDS)
    diagnosis = diagnose(open_run(tmp_path / "run"))
    assert severities(diagnosis) == {"run-died": Severity.WARNING, "memory-climbs": Severity.WARNING}
    assert causes(diagnosis)["memory-runs-out"] == "Memory grows from step to step, and does not come back."
    assert told(diagnosis, "run-died") == (
        "The process of the run ended after step 60 without a word: a person, the kernel or a job's end killed it."
    )


def test_a_loop_that_fills_its_disk_died_of_it(tmp_path: Path, tiny_disk: Path) -> None:
    diagnosis = diagnosed_after(tmp_path, FULL_DISK, tiny_disk)
    assert severities(diagnosis) == {"run-died": Severity.CRITICAL}
    assert causes(diagnosis) == {"process-died": "The training ended because a disk is full."}
    assert "No space left on device" in told(diagnosis, "run-died")


def test_a_loop_whose_data_loader_was_killed_died_of_that(tmp_path: Path) -> None:
    diagnosis = diagnosed_after(tmp_path, LOADER)
    assert severities(diagnosis) == {"run-died": Severity.CRITICAL}
    assert causes(diagnosis) == {"process-died": "The training ended because a data loader's worker died."}
    assert "a data loader's worker (pid " in told(diagnosis, "run-died")


def test_a_training_that_hangs_in_its_reward_function_is_told_so_while_it_hangs(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(GRADER)
    options = ("--max_steps", "50", "--per_device_train_batch_size", "16", "--save_strategy", "no", "--run_dir", "run")
    words = ("train", "grpo", "--reward_funcs", "mine.py:careful", *options)
    console = tmp_path / "run" / "console.log"
    with running(tmp_path, "-P", "-c", TRAIN, *words):
        deadline = time.monotonic() + MOST_SECONDS
        while not (console.exists() and "has not come back" in console.read_text()):
            assert time.monotonic() < deadline, "the hang was not announced in time"
            time.sleep(0.2)
        limits = tmp_path / "limits.toml"
        limits.write_text("[run-stalled]\nseconds = 1.0\ntimes = 0.1\n")
        command = [Path(sys.executable).with_name("rlvitals"), "diagnose", "run", "--limits", limits]
        report = subprocess.run(
            command, cwd=tmp_path, capture_output=True, text=True, check=False, timeout=MOST_SECONDS
        )
        diagnosis = diagnose(open_run(tmp_path / "run"), {"run-stalled": {"seconds": 1.0, "times": 0.1}})
    assert diagnosis.run.status.state == "running"
    assert severities(diagnosis)["run-stalled"] is Severity.CRITICAL
    assert causes(diagnosis)["process-hangs"] == "The training hangs: a reward function does not come back."
    assert "the reward function careful had not come back after 2 s" in told(diagnosis, "run-stalled")
    assert report.returncode == 1
    assert "The training hangs: a reward function does not come back." in " ".join(report.stdout.split())
    assert 'mine.py", line 6, in careful' in console.read_text()
