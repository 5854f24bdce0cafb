"""A dashboard as a user starts it, and what its processes hold: memory, threads, open files, children."""

import os
import signal
import subprocess
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import psutil

from benchmarks.enduring.runs import COMMAND, PATIENCE, Stuck

MIB = 1 << 20


@dataclass(frozen=True, slots=True)
class Holdings:
    """What all processes of a dashboard hold at one moment."""

    memory: float  # MiB, resident
    threads: int
    files: int
    processes: int


class Dashboard:
    """One `rlvitals` over a folder."""

    def __init__(self, folder: Path, output: Path, environment: Mapping[str, str]) -> None:
        self._folder, self._output, self._environment = folder, output, environment
        self.starts = 0
        self.start()

    def start(self) -> None:
        """Start it and wait for its address."""
        with self._output.open("wb") as file:
            self._process = subprocess.Popen(
                [COMMAND, self._folder], stdout=file, stderr=subprocess.STDOUT, env={**os.environ, **self._environment}
            )
        self.starts += 1
        self.address = self._await_address()

    def kill(self) -> None:
        """End its first process without a word; what it started has to notice."""
        self._process.kill()
        self._process.wait()

    def close(self) -> None:
        """End it as Ctrl-C does."""
        self._process.send_signal(signal.SIGINT)
        self._process.wait(PATIENCE)

    def url(self, path: str) -> str:
        """An address below the printed one, without its token."""
        return f"{self.address.partition('?')[0].rstrip('/')}/{path}"

    def holdings(self) -> Holdings:
        """The sum over its processes."""
        processes = self._processes()
        return Holdings(
            sum(process.memory_info().rss for process in processes) / MIB,
            sum(process.num_threads() for process in processes),
            sum(process.num_fds() for process in processes),
            len(processes),
        )

    def processor_seconds(self) -> float:
        """The processor time of its processes so far."""
        return sum(sum(process.cpu_times()[:2]) for process in self._processes())

    def _processes(self) -> list[psutil.Process]:
        first = psutil.Process(self._process.pid)
        return [first, *first.children(recursive=True)]

    def _await_address(self) -> str:
        deadline = time.monotonic() + PATIENCE
        while time.monotonic() < deadline:
            for word in self._output.read_text("utf-8", errors="replace").split():
                if word.startswith("http://127.0.0.1:"):
                    return word
            time.sleep(0.1)
        raise Stuck(f"waited {PATIENCE:.0f} s for a dashboard's address; it said: {self._output.read_text()}")
