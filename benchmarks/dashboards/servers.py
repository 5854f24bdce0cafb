"""The dashboards as a user starts them: their processes, their addresses, and what they cost."""

import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlencode

import psutil

PATIENCE = 120.0  # seconds for a server to begin or to end
OURS, TENSORBOARD, TRACKIO = "rlvitals", "TensorBoard", "trackio"
_ADDRESS = re.compile(r"http://(?:127\.0\.0\.1|localhost):\d+\S*")
_IDLE = 0.05  # of a core, over a second
_IDLE_SECONDS = 2
_IDLE_PATIENCE = 20.0  # seconds to become idle; one that looks for news all the time never is
_MIB = 1 << 20


class Stuck(Exception):  # noqa: N818 - named for what the process is
    """A process did not begin in time."""


class Server:
    """One server and what it started."""

    def __init__(self, command: Sequence[str | Path], output: Path, environment: Mapping[str, str]) -> None:
        """Raises Stuck where it prints no address."""
        self._output = output
        with output.open("wb") as file:
            self._process = subprocess.Popen(
                list(map(str, command)),
                stdout=file,
                stderr=subprocess.STDOUT,
                env={**os.environ, "PYTHONUNBUFFERED": "1", **environment},
            )
        self.address = self._await_address()

    @property
    def cpu(self) -> float:
        """CPU seconds of all of its processes so far."""
        return sum(_cpu_of(process) for process in self._processes)

    @property
    def memory(self) -> float:
        """MiB that its processes hold."""
        return sum(_memory_of(process) for process in self._processes) / _MIB

    @property
    def _processes(self) -> list[psutil.Process]:
        try:
            first = psutil.Process(self._process.pid)
            return [first, *first.children(recursive=True)]
        except psutil.NoSuchProcess as error:
            raise Stuck(f"{self._process.args} has ended by itself: {self._output.read_text()}") from error

    def await_idle(self) -> None:
        """Wait until it has read what it reads by itself, or no longer."""
        deadline, quiet = time.monotonic() + _IDLE_PATIENCE, 0
        while quiet < _IDLE_SECONDS and time.monotonic() < deadline:
            before = self.cpu
            time.sleep(1)
            quiet = quiet + 1 if self.cpu - before < _IDLE else 0

    def close(self) -> None:
        """End it as Ctrl-C does, or else without a word."""
        self._process.send_signal(signal.SIGINT)
        try:
            self._process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()

    def _await_address(self) -> str:
        deadline = time.monotonic() + PATIENCE
        while time.monotonic() < deadline and self._process.poll() is None:
            if found := _ADDRESS.search(self._output.read_text("utf-8", errors="replace")):
                return found.group()
            time.sleep(0.05)
        self._process.kill()
        said = self._output.read_text("utf-8", errors="replace")
        raise Stuck(f"{self._process.args} printed no address within {PATIENCE:.0f} s; it said: {said}")


def _cpu_of(process: psutil.Process) -> float:
    with suppress(psutil.NoSuchProcess):  # it has just ended
        spent = process.cpu_times()
        return spent.user + spent.system
    return 0.0


def _memory_of(process: psutil.Process) -> int:
    with suppress(psutil.NoSuchProcess):
        return int(process.memory_info().rss)
    return 0


@dataclass(frozen=True, slots=True)
class Contestant:
    """A dashboard: its name, and the CSS selector of its plots."""

    name: str
    plots: str
    peers: Path | None = None  # the Python of the environment that it is installed in

    def start(self, data: Path, scratch: Path) -> Server:
        """Start it on data that it has never read; its caches are below `scratch`, which is fresh."""
        output = scratch / f"{self.name}.out"
        if self.name == OURS:
            return ours(data / "events", output, scratch / "cache")
        assert self.peers is not None
        program = self.peers.with_name(self.name.lower())
        if self.name == TENSORBOARD:
            return Server([program, "--logdir", data / "events", "--port", "0"], output, {})
        place = {"TRACKIO_DIR": str(data / "trackio"), "BROWSER": "true"}
        return Server([program, "show", "--project", "benchmark"], output, place)

    def page(self, server: Server, data: Path) -> str:
        """The address of the page that shows the run's charts."""
        if self.name == OURS:
            return our_page(server, "run", run=data / "events" / "run")
        return f"{server.address}#timeseries" if self.name == TENSORBOARD else server.address


def ours(folder: Path, output: Path, cache: Path) -> Server:
    """Ours over a folder, with what it has read before in `cache`."""
    return Server([Path(sys.executable).with_name("rlvitals"), folder], output, {"XDG_CACHE_HOME": str(cache)})


def our_page(server: Server, name: str = "", **parameters: object) -> str:
    """The address of one of our pages, with the token of the printed one."""
    root, _, token = server.address.partition("?")
    return f"{root.rstrip('/')}/{name}?{'&'.join(filter(None, (urlencode(parameters), token)))}"
