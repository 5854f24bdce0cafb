"""What one dashboard holds and costs: memory and processor time by runs below its folder and by pages that are open.

    python -m benchmarks.scale [--runs 100 300] [--pages 1 4 8] [--output docs/benchmarks/scale.md]

The runs are written through the run log, 200 steps of 12 metrics each, all different. First one browser page shows the
list until every run has its verdict; then so many pages show one run that writes a step every second. Memory is that
of the server's processes, processor time theirs too: the browsers are not counted. Wall-clock time is not judged, so
that the figures hold for a machine that does other things as well.
"""

import argparse
import math
import random
import signal
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from playwright.sync_api import Browser

from benchmarks.enduring.dashboard import Dashboard
from benchmarks.enduring.pages import Tab, browser
from benchmarks.enduring.runs import GrowingRun
from benchmarks.machine import machine, versions
from diagnostics.runlog import RunLog

STEPS, METRICS = 200, 12
POINTS = STEPS * METRICS
WATCHED_SECONDS = 20.0
SETTLING_SECONDS = 5.0  # after a page is drawn, before its cost is measured
LONGEST_SECONDS = 900.0  # for a list or a page
LISTED = """count => document.querySelectorAll('.rlv-name').length >= Math.min(count, 1000)
  && !/reading (…|\\d)/.test(document.body.innerText)"""
DRAWN = "() => document.querySelector('.rlvitals-chart')?.chart?.plot"


@dataclass(frozen=True, slots=True)
class Listed:
    """A list of runs, all read."""

    runs: int
    memory: float  # MiB
    seconds: float  # of the processor, until all were read
    share: float  # of a core, from then on, with one page that shows the list


@dataclass(frozen=True, slots=True)
class Watched:
    """Pages that show a run that grows."""

    pages: int
    memory: float  # MiB
    opening: float  # seconds of the processor for each page
    share: float  # of a core, by all of them


def main(words: Sequence[str] | None = None) -> int:
    """Measure and print the page."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, nargs="+", default=[100, 300])
    parser.add_argument("--pages", type=int, nargs="+", default=[1, 4, 8])
    parser.add_argument("--output", type=Path, help="write the page to this file too")
    given = parser.parse_args(words)
    signal.signal(signal.SIGINT, signal.default_int_handler)  # a job in the background ignores it, and so would its own
    with tempfile.TemporaryDirectory() as scratch, browser({}) as chromium:
        listed = [_listed(chromium, Path(scratch) / f"{runs}", runs) for runs in given.runs]
        watched = _watched(chromium, Path(scratch) / "watched", sorted(given.pages))
    page = "".join(f"{line}\n" for line in _page(listed, watched, given.runs, given.pages))
    sys.stdout.write(page)
    if given.output:
        given.output.write_text(page, encoding="utf-8")
    return 0


def _listed(chromium: Browser, folder: Path, runs: int) -> Listed:
    for number in range(runs):
        _write(folder / "runs" / f"run-{number:04}", number)
    with ExitStack() as stack:
        dashboard = _started(stack, folder)
        tab = Tab(chromium, dashboard, None)
        stack.callback(tab.close)
        tab.page.wait_for_function(LISTED, arg=runs, timeout=LONGEST_SECONDS * 1000, polling=200)
        seconds = dashboard.processor_seconds()
        time.sleep(SETTLING_SECONDS)
        return Listed(runs, dashboard.holdings().memory, seconds, _share(dashboard.processor_seconds))


def _watched(chromium: Browser, folder: Path, counts: Sequence[int]) -> list[Watched]:
    run = GrowingRun(folder / "runs" / "live", pace=1.0)
    run.folder.parent.mkdir(parents=True)
    with ExitStack() as stack:
        run.start()
        stack.callback(run.kill)
        run.await_begun()
        dashboard = _started(stack, folder)
        found, tabs = list[Watched](), list[Tab]()
        for count in counts:
            before, new = dashboard.processor_seconds(), count - len(tabs)
            for _ in range(new):
                tabs.append(Tab(chromium, dashboard, run.folder))
                stack.callback(tabs[-1].close)
                tabs[-1].page.wait_for_function(DRAWN, timeout=LONGEST_SECONDS * 1000)
            opening = (dashboard.processor_seconds() - before) / new
            time.sleep(SETTLING_SECONDS)
            found.append(Watched(count, dashboard.holdings().memory, opening, _share(dashboard.processor_seconds)))
        return found


def _started(stack: ExitStack, folder: Path) -> Dashboard:
    cache = {"XDG_CACHE_HOME": str(folder / "cache"), "XDG_DATA_HOME": str(folder / "data")}
    dashboard = Dashboard(folder / "runs", folder / "dashboard.out", cache)
    stack.callback(dashboard.close)
    return dashboard


def _share(processor_seconds: Callable[[], float]) -> float:
    before, started = processor_seconds(), time.monotonic()
    time.sleep(WATCHED_SECONDS)
    return (processor_seconds() - before) / (time.monotonic() - started)


def _write(folder: Path, seed: int) -> None:
    chance = random.Random(seed)
    with RunLog(folder, algorithm="grpo", total=STEPS) as log:
        for step in range(1, STEPS + 1):
            reward = 1 / (1 + math.exp(-step / 40)) + chance.gauss(0, 0.02)
            log.log(step, {"reward": reward, **{f"metric/{name}": chance.random() for name in range(METRICS - 1)}})


def _page(
    listed: Sequence[Listed], watched: Sequence[Watched], runs: Sequence[int], pages: Sequence[int]
) -> Iterator[str]:
    words = f"--runs {' '.join(map(str, runs))} --pages {' '.join(map(str, pages))}"
    yield "# What one dashboard holds"
    yield ""
    yield f"Printed by `python -m benchmarks.scale {words}` on"
    yield f"{datetime.now(UTC):%Y-%m-%d}; {machine()}. {versions(sys.executable, ('streamlit', 'playwright'))}."
    yield ""
    yield f"Runs that have ended, {STEPS} steps of {METRICS} metrics each; one page shows their list."
    yield ""
    yield "| runs | points | memory, MiB | processor until all are judged, s | then, share of a core |"
    yield "|---:|---:|---:|---:|---:|"
    for item in listed:
        points = f"{item.runs * POINTS:,}"
        yield f"| {item.runs:,} | {points} | {item.memory:.0f} | {item.seconds:.0f} | {item.share:.1%} |"
    yield ""
    yield "Pages, each in a browser of its own, that show one run which logs 30 metrics every second."
    yield ""
    yield "| pages | memory, MiB | processor to open one, s | all, share of a core |"
    yield "|---:|---:|---:|---:|"
    for seen in watched:
        yield f"| {seen.pages} | {seen.memory:.0f} | {seen.opening:.2f} | {seen.share:.0%} |"
    yield ""
    yield "Memory and processor time are those of all processes of the dashboard; browsers are not counted."


if __name__ == "__main__":
    sys.exit(main())
