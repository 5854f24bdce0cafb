"""Runs each case in a process of its own, watched for time and memory, so that no case can harm another or the fuzzer.

The processes are forked from a server that has loaded everything (`tests.fuzz.warm`), which takes milliseconds.
"""

import multiprocessing
import os
import resource
import shutil
import tempfile
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from multiprocessing.connection import Connection, wait
from multiprocessing.context import ForkServerProcess
from pathlib import Path

import psutil

from diagnostics.garbage import collect_rarely
from tests.fuzz.kinds import Case
from tests.fuzz.look import Outcome, look

SECONDS = 10.0  # of CPU time: what else runs on the machine does not count
HANG_SECONDS = 60.0  # of the clock: what waits for ever takes no CPU time
BYTES = 500_000_000
_MAKING_SECONDS = 60.0  # for making the damaged run, which is not measured
_GLANCE_SECONDS = 0.05  # between two looks at the running cases


@dataclass(frozen=True, slots=True)
class Result:
    """How one case ended; `seconds` are of CPU time, `bytes` is what its memory grew by."""

    case: Case
    what: str
    outcome: Outcome
    detail: str = ""
    seconds: float = 0.0
    bytes: int = 0


def results_of(cases: Iterable[Case], processes: int, most: float | None = None) -> Iterator[Result]:
    """The results of all cases, in the order in which they end; `most` seconds of CPU time for each, or SECONDS."""
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["tests.fuzz.warm"])
    waiting, running = iter(cases), list[_Running]()
    with tempfile.TemporaryDirectory(prefix="rlvitals-fuzz-", ignore_cleanup_errors=True) as scratch:
        os.environ["XDG_CACHE_HOME"] = str(Path(scratch) / "cache")
        try:
            while True:
                while len(running) < processes and (case := next(waiting, None)) is not None:
                    running.append(
                        _Running(context, case, Path(scratch) / str(case.number), SECONDS if most is None else most)
                    )
                if not running:
                    return
                wait([one.line for one in running], _GLANCE_SECONDS)
                for one in list(running):
                    if (result := one.result()) is not None:
                        running.remove(one)
                        yield result
        finally:
            for one in running:
                one.end()


class _Running:
    """One case in its process."""

    def __init__(
        self, context: multiprocessing.context.ForkServerContext, case: Case, place: Path, most: float
    ) -> None:
        self.line, theirs = context.Pipe(duplex=False)
        self._case, self._place, self._most = case, place, most
        self._what, self._held = "not made yet", 0
        self._begun, self._spent_before = time.monotonic(), 0.0
        self._is_made = False
        self._process: ForkServerProcess = context.Process(target=_work, args=(case, place, most, theirs), daemon=True)
        self._process.start()
        theirs.close()

    def result(self) -> Result | None:
        """The result if the case has ended, or has to be ended; else None."""
        found = self._heard() or self._seen()
        if found is not None:
            self.end()
        return found

    def end(self) -> None:
        """End the process and remove what it wrote."""
        if self._process.pid is not None and self._process.is_alive():
            self._process.kill()
        self._process.join()
        self._process.close()
        self.line.close()
        _remove(self._place)

    def _heard(self) -> Result | None:
        """What the process says: what it made, then its result."""
        try:
            while self.line.poll():
                said = self.line.recv()
                if isinstance(said, Result):
                    is_large = not said.outcome.is_failure and said.bytes > BYTES
                    return replace(said, outcome=Outcome.LARGE) if is_large else said
                self._what, self._held = said
                self._begun, self._is_made, self._spent_before = time.monotonic(), True, self._cpu_seconds()
        except EOFError:
            self._process.join()
            return self._ended(Outcome.DIED, f"exit code {self._process.exitcode}")
        return None

    def _seen(self) -> Result | None:
        """The result of a case that takes too much."""
        seconds = time.monotonic() - self._begun
        if seconds > (HANG_SECONDS if self._is_made else _MAKING_SECONDS) or self._spent() > self._most:
            return self._ended(Outcome.SLOW, f"ended after {seconds:.0f} s")
        if self._is_made and self._grown() > BYTES:
            return self._ended(Outcome.LARGE, f"ended after {seconds:.1f} s")
        return None

    def _spent(self) -> float:
        """CPU seconds since the case was made."""
        return max(0.0, self._cpu_seconds() - self._spent_before) if self._is_made else 0.0

    def _cpu_seconds(self) -> float:
        try:
            times = psutil.Process(self._process.pid).cpu_times()
        except psutil.NoSuchProcess:
            return 0.0
        return float(times.user + times.system)

    def _grown(self) -> int:
        try:
            return int(psutil.Process(self._process.pid).memory_info().rss) - self._held
        except psutil.NoSuchProcess:
            return 0

    def _ended(self, outcome: Outcome, detail: str) -> Result:
        return Result(self._case, self._what, outcome, detail, self._spent(), max(0, self._grown()))


def _work(case: Case, place: Path, most: float, line: Connection) -> None:
    """Make a case, open it and send the result; runs in the case's process."""
    collect_rarely()  # as the command and the dashboard do
    place.mkdir()
    path, what = case.make(place)
    held = psutil.Process().memory_info().rss
    line.send((what, held))
    begun = time.process_time()
    outcome, detail = look(path)
    seconds = time.process_time() - begun
    grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 - held
    if not outcome.is_failure and seconds > most:
        outcome = Outcome.SLOW
    line.send(Result(case, what, outcome, detail, seconds, max(0, grown)))


def _remove(place: Path) -> None:
    """Remove a case's files, whatever they are by now."""
    if place.is_symlink() or place.is_file():
        place.unlink()
    shutil.rmtree(place, ignore_errors=True)
