"""How long rlvitals lasts: ten growing runs, eight pages, an hour compressed into minutes, with random kills.

    python -m benchmarks.endurance [--minutes 12] [--seed 0] [--output docs/benchmarks/endurance.md]

Two runs are trainings of the bundled trainer, eight are written through the run log, one of them (as root) on a disk
that fills. Two dashboards show them; one is killed and restarted now and then, the other lasts and is measured. The
time is compressed by 60 / minutes: as many steps, kills and opened pages as in an hour. What goes by the clock (the
refresh of a page, heartbeats) happens only as often as in these minutes. Exit code 1 where a bound is broken.
"""

import argparse
import os
import random
import signal
import subprocess
import sys
import tempfile
import threading
import time
import uuid
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field, fields
from datetime import UTC, datetime
from pathlib import Path
from statistics import fmean

import orjson
import psutil
from playwright.sync_api import Browser

from benchmarks.enduring.dashboard import Dashboard, Holdings
from benchmarks.enduring.disturbances import WEIGHTS, World
from benchmarks.enduring.pages import Tab, browser
from benchmarks.enduring.runs import COMMAND, PATIENCE, GrowingRun
from benchmarks.machine import machine, versions

HOUR = 3600.0  # seconds
SECONDS_PER_STEP = 2.0  # of an uncompressed writer
DISTURBANCES = 120  # an hour
WARM_UP = 0.15  # of the time: Python and the browser load what they need
SETTLING = 20.0  # seconds until the last states must be shown
FLAT = 0.10  # how far the last quarter may be from the first
SMALL_DISK = "size=256k"
MARK = "RLVITALS_ENDURANCE"
TITLES = {"memory": "memory, MiB", "threads": "threads", "files": "open files", "processes": "processes"}


@dataclass
class Findings:
    """What was measured and seen."""

    taken: list[tuple[float, Holdings]] = field(default_factory=list)
    at_rest: Holdings | None = None  # the last pages are closed
    expected: dict[str, str] = field(default_factory=dict)
    shown: dict[str, Mapping[str, str]] = field(default_factory=dict)
    leftovers: list[str] = field(default_factory=list)
    steps: int = 0
    has_small_disk: bool = False
    world: World | None = None


def main(words: Sequence[str] | None = None) -> int:
    """Run, print the page, and judge it."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--minutes", type=float, default=12.0, help="how long the hour takes")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--output", type=Path, help="write the page to this file too")
    given = parser.parse_args(words)
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # clean up then, too
    findings = Findings()
    mark = uuid.uuid4().hex
    os.environ[MARK] = mark  # every process that descends from here carries it
    with tempfile.TemporaryDirectory() as scratch:
        _endure(Path(scratch), given.minutes * 60, given.seed, findings)
    findings.leftovers = _marked(mark)
    broken = list(broken_bounds(findings))
    page = "".join(f"{line}\n" for line in _page(findings, broken, given.minutes, given.seed))
    sys.stdout.write(page)
    if given.output:
        given.output.write_text(page, "utf-8")
    return 1 if broken else 0


def _endure(scratch: Path, seconds: float, seed: int, findings: Findings) -> None:
    folder = scratch / "runs"
    folder.mkdir()
    with ExitStack() as stack:
        disk = stack.enter_context(_small_disk(folder / "small"))
        findings.has_small_disk = disk is not None
        runs = _begin_runs(folder, disk, HOUR / seconds / SECONDS_PER_STEP, stack)
        chromium = stack.enter_context(browser(os.environ))
        lasting, killed = (_dashboard(folder, scratch / name, stack) for name in ("lasting.out", "killed.out"))
        tabs = _open_tabs(chromium, (lasting, killed), runs)
        _note("runs, dashboards and pages are up")
        world = findings.world = World(runs, lasting, killed, tabs, chromium, random.Random(seed))
        _pass_time(world, seconds, findings)
        _note(f"the time is over: {dict(world.counts)}")
        _leave_each_state(world)
        time.sleep(SETTLING)
        _look(world, folder, findings)


def _pass_time(world: World, seconds: float, findings: Findings) -> None:
    """Disturb at random moments, on average as often as the hour has them, and sample meanwhile."""
    begun = time.monotonic()
    is_over = threading.Event()
    sampler = threading.Thread(target=_sample, args=(world.lasting, begun, seconds, is_over, findings.taken))
    sampler.start()
    pause = seconds / DISTURBANCES
    next_disturbance = world.dice.expovariate(1 / pause)
    while (now := time.monotonic() - begun) < seconds:
        world.follow_up(now)
        if now >= next_disturbance:
            world.disturb(now)
            next_disturbance += world.dice.expovariate(1 / pause)
        time.sleep(0.2)
    is_over.set()
    sampler.join()
    world.settle()


def _sample(
    dashboard: Dashboard, begun: float, seconds: float, is_over: threading.Event, taken: list[tuple[float, Holdings]]
) -> None:
    """Note what the dashboard holds every second, however long a page or a process takes to open."""
    while not is_over.wait(1.0):
        with suppress(psutil.NoSuchProcess):  # a short-lived child
            taken.append(((time.monotonic() - begun) / seconds, dashboard.holdings()))


def _leave_each_state(world: World) -> None:
    """One run dies, one is stopped, one stays suspended; one has finished, and one failed on the small disk."""
    training, killed, stopped, suspended = world.runs[:4]
    training.stop()
    killed.kill()
    stopped.stop()
    suspended.suspend()


def _look(world: World, folder: Path, findings: Findings) -> None:
    """Each run's state by the command and by the list of both dashboards, beside the one that it must be."""
    for run in world.runs:
        run.settle()
    findings.steps = sum(run.step for run in world.runs)
    findings.expected = {run.folder.name: run.expected for run in world.runs}
    told = subprocess.run([COMMAND, "runs", folder, "--format", "json"], capture_output=True, check=False).stdout
    rows = orjson.loads(told)["runs"]
    findings.shown["rlvitals runs"] = {row["name"]: row["state"] for row in rows}
    held_up = {row["name"] for row in rows if row["standstill"]}
    if held_up != {run.folder.name for run in world.runs if run.is_suspended}:
        world.troubles.append(f"said to stand still: {sorted(held_up)}")
    for name, dashboard in {"lasting dashboard": world.lasting, "killed dashboard": world.killed}.items():
        tab = world.open_tab(dashboard, None)
        tab.shown_states()  # waits for the list; its runs are read by the time it is asked again
        tab.page.wait_for_timeout(SETTLING * 1000 / 2)
        findings.shown[name] = tab.shown_states()
        tab.close()
    for tab in world.tabs:
        world.troubles += tab.exceptions()
        tab.close()
    _await_rest(world.lasting, findings)


def _await_rest(dashboard: Dashboard, findings: Findings) -> None:
    """What the dashboard holds after its last page was closed, once that is no more than usual or patience ends."""
    usual = _quarters(findings, "files")[0]
    deadline = time.monotonic() + PATIENCE
    while (held := dashboard.holdings()).files > usual and time.monotonic() < deadline:
        time.sleep(1.0)
    findings.at_rest = held


def _note(words: str) -> None:
    sys.stderr.write(f"{datetime.now(UTC):%H:%M:%S} {words}\n")


def _begin_runs(folder: Path, disk: Path | None, pace: float, stack: ExitStack) -> list[GrowingRun]:
    runs = [GrowingRun(folder / f"training-{number}", pace, is_training=True) for number in (1, 2)]
    runs += [GrowingRun(folder / f"written-{number}", pace) for number in range(1, 7)]
    runs.append(GrowingRun(folder / "short", pace, steps=200))
    runs.append(GrowingRun((disk or folder) / "fills-its-disk", pace))
    for run in runs:
        run.start()
        stack.callback(_end, run)
    for run in runs:
        run.await_begun()
    return runs


def _end(run: GrowingRun) -> None:
    if not run.has_ended:
        run.kill()


def _dashboard(folder: Path, output: Path, stack: ExitStack) -> Dashboard:
    dashboard = Dashboard(folder, output, {})
    stack.callback(dashboard.close)
    return dashboard


def _open_tabs(chromium: Browser, dashboards: tuple[Dashboard, Dashboard], runs: Sequence[GrowingRun]) -> list[Tab]:
    """Five pages of the lasting dashboard and three of the other, each with one list."""
    lasting, killed = dashboards
    shown = [None, *(run.folder for run in runs[:4])]
    return [Tab(chromium, lasting, run) for run in shown] + [Tab(chromium, killed, run) for run in shown[:3]]


@contextmanager
def _small_disk(place: Path) -> Iterator[Path | None]:
    """A file system that fills within the run; None for who may not mount one."""
    place.mkdir()
    command = ["mount", "-t", "tmpfs", "-o", SMALL_DISK, "tmpfs", str(place)]
    if os.geteuid() != 0 or subprocess.run(command, capture_output=True, check=False).returncode:
        yield None
        return
    try:
        yield place
    finally:
        subprocess.run(["umount", "--lazy", str(place)], check=True)


def _marked(mark: str) -> list[str]:
    """Processes that should be gone: descendants of this one, wherever they were reparented to."""
    time.sleep(5.0)
    found = []
    for process in psutil.process_iter():
        try:
            if process.pid != os.getpid() and process.environ().get(MARK) == mark:
                found.append(f"{process.pid} {process.name()}")
        except psutil.Error:
            continue
    return found


def _quarters(findings: Findings, name: str) -> tuple[float, float]:
    """The mean of the first and of the last quarter after the warm-up."""
    warm = [(at, getattr(held, name)) for at, held in findings.taken if at >= WARM_UP]
    quarter = (1 - WARM_UP) / 4
    first = [value for at, value in warm if at < WARM_UP + quarter]
    last = [value for at, value in warm if at >= 1 - quarter]
    return fmean(first), fmean(last)


def broken_bounds(findings: Findings) -> Iterator[str]:
    """A sentence for each bound that does not hold."""
    for name in ("memory", "processes"):
        first, last = _quarters(findings, name)
        if last > first * (1 + FLAT) or (name == "memory" and last < first * (1 - FLAT)):
            yield f"{TITLES[name]} went from {first:.1f} to {last:.1f}"
    for name in ("threads", "files") if findings.at_rest else ():
        first, rest = _quarters(findings, name)[0], getattr(findings.at_rest, name)
        if rest > first:
            yield f"{TITLES[name]}: {rest} at rest, {first:.1f} with pages open"
    for place, states in findings.shown.items():
        for name, state in findings.expected.items():
            if states.get(name) != state:
                yield f"{place} shows {name} as {states.get(name, 'nothing')}; it is {state}"
    yield from (f"left behind: {process}" for process in findings.leftovers)
    yield from (findings.world.troubles if findings.world else ())


def _page(findings: Findings, broken: Sequence[str], minutes: float, seed: int) -> Iterator[str]:
    world = findings.world
    assert world is not None
    assert findings.at_rest is not None
    yield "# Endurance"
    yield ""
    yield f"Printed by `python -m benchmarks.endurance --minutes {minutes:g} --seed {seed}` on"
    yield f"{datetime.now(UTC):%Y-%m-%d}; {machine()}. {versions(sys.executable, ('streamlit', 'playwright'))}."
    yield ""
    yield f"{minutes:g} minutes stand for an hour: as many steps, kills and opened pages were planned,"
    yield f"{60 / minutes:g} times as dense; the table has what happened. What goes by the clock (refreshes,"
    yield "heartbeats) happened only as often as in these minutes."
    yield f"Ten growing runs, two of them trainings, reached {findings.steps:,} steps; two dashboards, eight pages."
    if not findings.has_small_disk:
        yield "No disk filled: only root may mount one."
    yield ""
    yield "| what happened | times |"
    yield "|---|---:|"
    for what in WEIGHTS:
        yield f"| {what} | {world.counts[what]} |"
    yield ""
    yield "The dashboard that lasted, all its processes; the mean of the first and the last quarter after a warm-up,"
    yield "and what is left when its pages are closed. Threads and files come and go with pages: none may be left."
    yield ""
    yield "| | first quarter | last quarter | change | at rest |"
    yield "|---|---:|---:|---:|---:|"
    for held in fields(Holdings):
        first, last = _quarters(findings, held.name)
        rest = getattr(findings.at_rest, held.name)
        yield f"| {TITLES[held.name]} | {first:.1f} | {last:.1f} | {last / first - 1:+.1%} | {rest:.0f} |"
    yield ""
    yield f"| run | is | {' | '.join(findings.shown)} |"
    yield f"|---|---|{'---|' * len(findings.shown)}"
    for name, state in findings.expected.items():
        cells = " | ".join(states.get(name, "nothing") for states in findings.shown.values())
        yield f"| {name} | {state} | {cells} |"
    yield ""
    yield f"Processes left behind: {', '.join(findings.leftovers) or 'none'}."
    yield ""
    yield "Every bound held." if not broken else "Broken:"
    if broken:
        yield ""
    yield from (f"- {sentence}" for sentence in broken)


if __name__ == "__main__":
    sys.exit(main())
