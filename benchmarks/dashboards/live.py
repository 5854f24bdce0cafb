"""Growing runs, each on a page of its own: from the written line to the drawn point, and what the server spends."""

import random
import tempfile
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from playwright.sync_api import Browser, Page

from benchmarks.dashboards.data import values_of
from benchmarks.dashboards.servers import Server, our_page, ours
from diagnostics.runlog import RunLog

RUNS = 5
_PACE = 1.0  # seconds from one step to the next
_BEFORE = 200  # steps that each run has at the start
_FOLLOWS = 30.0  # seconds for the last step to be drawn
_WARM_UP = 5.0  # seconds after the pages have opened
_LOOKS = 6  # at the server's memory, at equal distances, after the one at the start
# The moment of the first frame on which the chart of the reward ends at each step.
_WATCH = """() => {
  window.drawnAt = {};
  const look = () => {
    const chart = document.querySelector('[data-metric=reward]')?.chart;
    const last = chart?.plot && chart.main.steps.at(-1);
    if (last) window.drawnAt[last] ??= Date.now() / 1000;
    requestAnimationFrame(look);
  };
  look();
}"""


@dataclass(frozen=True, slots=True)
class Live:
    """Seconds from written to drawn, cores of the server for each page, its memory (MiB) from the start to the end."""

    p50: float
    p95: float
    missing: int
    steps: int
    cores_per_page: float
    memory: tuple[float, ...]


@dataclass
class _Writer(threading.Thread):
    """One training that only logs; knows when each line was written."""

    folder: Path
    ends: threading.Event
    written: dict[int, float] = field(default_factory=dict)

    def __post_init__(self) -> None:
        super().__init__(daemon=True)
        self.log = RunLog(self.folder, algorithm="grpo", total=1_000_000)
        self.draw = random.Random(0)
        for step in range(1, _BEFORE + 1):
            self.log.log(step, values_of(step, self.draw))

    __hash__ = threading.Thread.__hash__

    def run(self) -> None:
        """Log a step at each pace, until told to end."""
        step = _BEFORE
        while not self.ends.wait(_PACE):
            step += 1
            self.log.log(step, values_of(step, self.draw))
            self.written[step] = time.time()
        self.log.close()


def live(browser: Browser, seconds: float) -> Live:
    """Follow the runs for so long."""
    with tempfile.TemporaryDirectory() as scratch, _growing(Path(scratch) / "runs") as (writers, ends):
        server = ours(Path(scratch) / "runs", Path(scratch) / "ours.out", Path(scratch) / "cache")
        try:
            pages = [_watched(browser, server, writer.folder) for writer in writers]
            time.sleep(_WARM_UP)
            cpu, memory, start = server.cpu, [server.memory], time.monotonic()
            first = [max(writer.written, default=_BEFORE) for writer in writers]
            for _ in range(_LOOKS):
                time.sleep(seconds / _LOOKS)
                memory.append(server.memory)
            cores = (server.cpu - cpu) / (time.monotonic() - start) / RUNS
            ends.set()
            late = [_latencies(*item) for item in zip(pages, writers, first, strict=True)]
            return _figures(np.concatenate(late), cores, memory)
        finally:
            server.close()


@contextmanager
def _growing(folder: Path) -> Iterator[tuple[list[_Writer], threading.Event]]:
    ends = threading.Event()
    writers = [_Writer(folder / f"run-{number}", ends) for number in range(RUNS)]
    for writer in writers:
        writer.start()
    try:
        yield writers, ends
    finally:
        ends.set()
        for writer in writers:
            writer.join()


def _watched(browser: Browser, server: Server, run: Path) -> Page:
    """A page of the run in a window of its own."""
    page = browser.new_context(viewport={"width": 1280, "height": 800}).new_page()
    page.goto(our_page(server, "run", run=run), wait_until="commit")
    page.wait_for_function("() => document.querySelector('[data-metric=reward]')?.chart?.plot", timeout=60_000)
    page.evaluate(_WATCH)
    return page


def _latencies(page: Page, writer: _Writer, after: int) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    """Seconds for each step written after that one; ∞ for one that was never drawn."""
    deadline = time.monotonic() + _FOLLOWS
    last = max(writer.written)
    drawn: dict[int, float] = {}
    while last not in drawn and time.monotonic() < deadline:
        time.sleep(0.5)
        drawn = {int(step): moment for step, moment in page.evaluate("() => window.drawnAt").items()}
    page.context.close()
    steps = [step for step in writer.written if after < step <= last]
    return np.array([_first_from(step, drawn) - writer.written[step] for step in steps], dtype=np.float64)


def _first_from(step: int, drawn: dict[int, float]) -> float:
    """When a step or a later one was first the last on the chart."""
    return min((moment for reached, moment in drawn.items() if reached >= step), default=float("inf"))


def _figures(late: np.ndarray[tuple[int], np.dtype[np.float64]], cores: float, memory: Sequence[float]) -> Live:
    p50, p95 = (float(np.quantile(late, share, method="higher")) for share in (0.5, 0.95))
    return Live(p50, p95, int(np.isinf(late).sum()), len(late), cores, tuple(memory))
