"""Trainings in processes forked from one that has imported torch and the trainer, which takes most of a start."""

import multiprocessing
import os
import sys
import tempfile
from collections.abc import Callable, Sequence
from functools import cache
from multiprocessing.context import ForkServerContext, ForkServerProcess
from pathlib import Path
from subprocess import CompletedProcess, TimeoutExpired

IMPORTED = (
    "trainer.main",
    "trainer.ppo",
    "trainer.grpo",
    "trainer.rloo",
    "trainer.run.session",
    "trainer.run.optimizer",
)
SECONDS_TO_END = 60.0
SECONDS_TO_TRAIN = 180.0

Program = Callable[[list[str]], int]


def trainer_main(words: list[str]) -> int:
    """The trainer's own main function; returns the exit code."""
    from trainer.main import main  # noqa: PLC0415 - imported by the fork server, not by the process of the tests

    return main(words)


class ForkedTraining:
    """A process that calls a program with these arguments in a folder, used as a subprocess.Popen is."""

    def __init__(self, words: Sequence[str], folder: Path, program: Program = trainer_main, **environment: str) -> None:
        descriptor, name = tempfile.mkstemp(suffix=".stderr", dir=_folder_of_errors().name)
        os.close(descriptor)
        self._errors = Path(name)
        everything = {**os.environ, **environment}
        arguments = (program, list(words), str(folder), name, everything)
        self._process: ForkServerProcess = _fork_server().Process(target=_run, args=arguments)
        self._process.start()

    @property
    def pid(self) -> int:
        """The process id."""
        assert self._process.pid is not None
        return self._process.pid

    @property
    def returncode(self) -> int | None:
        """The exit code, that of a signal negative; None while it runs."""
        return self._process.exitcode

    def poll(self) -> int | None:
        """The exit code, or None while it runs."""
        return self._process.exitcode

    def wait(self, timeout: float | None = None) -> int:
        """Wait for the end; raises subprocess.TimeoutExpired."""
        self._process.join(timeout)
        if self._process.exitcode is None:
            raise TimeoutExpired("a training", timeout or 0.0)
        return self._process.exitcode

    def communicate(self, timeout: float | None = SECONDS_TO_END) -> tuple[None, str]:
        """Wait for the end; returns nothing for the output, and the text of the errors."""
        self.wait(timeout)
        return None, self._errors.read_text()

    def kill(self) -> None:
        """Send SIGKILL."""
        self._process.kill()

    def send_signal(self, number: int) -> None:
        """Send a signal."""
        os.kill(self.pid, number)


def run_forked(folder: Path, *words: str, program: Program = trainer_main, **environment: str) -> CompletedProcess[str]:
    """Call a program with these arguments, to its end; the exit code and the errors, as of subprocess.run."""
    process = ForkedTraining(words, folder, program, **environment)
    _, errors = process.communicate(timeout=SECONDS_TO_TRAIN)
    return CompletedProcess(words, process.wait(), stderr=errors)


@cache
def _folder_of_errors() -> tempfile.TemporaryDirectory[str]:
    """It is removed when the process of the tests ends; what it starts never asks for it."""
    return tempfile.TemporaryDirectory(prefix="trainings-")


@cache
def _fork_server() -> ForkServerContext:
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload([*IMPORTED])
    return context


def _run(program: Program, words: list[str], folder: str, errors: str, environment: dict[str, str]) -> None:
    os.environ.clear()
    os.environ.update(environment)
    os.chdir(folder)
    with Path(errors).open("wb") as file:
        os.dup2(file.fileno(), sys.stderr.fileno())
    sys.argv = [program.__module__, *words]
    sys.exit(program(words))
