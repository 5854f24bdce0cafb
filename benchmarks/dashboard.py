"""How fast the dashboard is: ours beside TensorBoard and trackio, in a headless Chromium, on the same data, in turn.

    python -m benchmarks.dashboard [--part twelve ...] [--peers .venv-dashboards/bin/python] [--points N] [--turns N]
        [--beside "what else runs"]

`--peers` is the Python of an environment with `benchmarks/dashboards-requirements.txt`; without it only ours is
measured. Parts: `twelve` (the first and second opening of twelve charts of a run of forty tags), `large` (ten times as
long), `forty` (all of its charts, in a tall window, of which a picture takes a second), `list` (a folder of a hundred
runs), `live` (five pages on five growing runs), `hour` (the server's memory over an hour of that; it is as long as all
others together, and measured only where it is named). Each opening is told as it ends. Each part stands by itself: what
it found is kept in `benchmarks/results/dashboard.json`, and the page is written anew from all that is there. Charts are
drawn once a picture of the window holds pixels of each one's curve. Every wait is bounded; what did not come in time is
told. `make dashboard-speed` runs all but `hour`, on a machine that does nothing else.
"""

import argparse
import json
import os
import signal
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from statistics import median

from playwright.sync_api import Browser

from benchmarks.dashboards.data import TAGS, event_file, trackio_database
from benchmarks.dashboards.drawing import NotDrawn
from benchmarks.dashboards.listing import listings
from benchmarks.dashboards.live import RUNS, Live, live
from benchmarks.dashboards.opening import FIRST_CHARTS, Opening, openings
from benchmarks.dashboards.servers import OURS, TENSORBOARD, TRACKIO, Contestant
from benchmarks.enduring.pages import browser
from benchmarks.machine import machine, versions

PARTS = ("twelve", "large", "list", "live", "hour", "forty")
POINTS, LONGER, LISTED, LISTED_SHARE = 10_000, 10, 100, 10
_USUAL = tuple(part for part in PARTS if part != "hour")
_HOUR = 60.0  # minutes
_BYTES_OF_A_POINT = 3 * 8  # a step, a value and a time in memory
RESULTS = Path(__file__).with_name("results") / "dashboard.json"
_LIBRARIES = ("streamlit", "uplot-python", "numpy")
_PEERS = ("tensorboard", "tensorboard-data-server", "trackio")


@dataclass(frozen=True, slots=True)
class Options:
    """What to measure."""

    peers: Path | None
    points: int
    turns: int
    minutes: float
    beside: str = ""


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure the parts, and write the page after each."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--part", choices=PARTS, action="append", help="one part; may be given several times")
    parser.add_argument("--peers", type=Path, help="the Python of an environment with the other dashboards")
    parser.add_argument("--points", type=int, default=POINTS, help="steps of the run")
    parser.add_argument("--turns", type=int, default=5, help="openings of each dashboard")
    parser.add_argument("--minutes", type=float, default=5.0, help="how long growing runs are followed")
    parser.add_argument("--beside", default="", help="what else runs on the machine, for the page")
    parser.add_argument("--results", type=Path, default=RESULTS, help="keep what was found in this file")
    parser.add_argument("--output", type=Path, help="write the page to this file")
    given = parser.parse_args(arguments)
    signal.signal(signal.SIGINT, signal.default_int_handler)  # ignored in the background, and then by servers too
    options = Options(given.peers, given.points, given.turns, given.minutes, given.beside)
    for part in given.part or _USUAL:
        found = {"lines": list(_measured(part, options)), "when": _when(options)}
        kept = json.loads(given.results.read_text("utf-8")) if given.results.exists() else {}
        given.results.write_text(json.dumps(kept | {part: found}, indent=1, ensure_ascii=False) + "\n", "utf-8")
        page = _page(kept | {part: found})
        sys.stdout.write("\n".join(found["lines"]) + "\n")
        sys.stdout.flush()
        if given.output:
            given.output.write_text(page, "utf-8")
    return 0


def _when(options: Options) -> str:
    ours = versions(sys.executable, _LIBRARIES)
    theirs = f"; theirs {versions(str(options.peers), _PEERS)}" if options.peers else ""
    load = f"load {os.getloadavg()[0]:.1f} at the end{f', beside {options.beside}' if options.beside else ''}"
    return f"{datetime.now(UTC):%Y-%m-%d}; {machine()}, {load}. Ours: {ours}{theirs}."


def _page(found: dict[str, dict[str, list[str] | str]]) -> str:
    parts = [
        [*found[part]["lines"], "", f"<small>{found[part]['when']}</small>", ""] for part in PARTS if part in found
    ]
    head = [
        "# The dashboard's speed",
        "",
        "Printed by `python -m benchmarks.dashboard`, part by part: ours, TensorBoard and trackio with the same data,",
        "in turn, each with a fresh server that had become idle, in a Chromium that had never seen the page. Charts",
        "count as drawn once a picture of the window holds pixels of each one's curve; taking the pictures is in every",
        "figure.",
        "",
    ]
    return "\n".join([*head, *(line for lines in parts for line in lines)])


def _measured(part: str, options: Options) -> Iterator[str]:
    """The lines of a part of the page."""
    ways: dict[str, Callable[[Browser, Path, Options], Iterator[str]]] = {
        "twelve": _twelve,
        "large": _large,
        "forty": _forty,
        "list": _list,
        "live": _live,
        "hour": _hour,
    }
    with tempfile.TemporaryDirectory() as scratch, browser(os.environ) as chromium:
        yield from ways[part](chromium, Path(scratch), options)


def _twelve(chromium: Browser, scratch: Path, options: Options) -> Iterator[str]:
    data = _data(scratch, options, options.points)
    yield f"## {FIRST_CHARTS} charts of {len(TAGS)} × {options.points:,} points"
    yield ""
    yield from _table(chromium, data, options, FIRST_CHARTS)


def _forty(chromium: Browser, scratch: Path, options: Options) -> Iterator[str]:
    data = _data(scratch, options, options.points)
    yield f"## All {len(TAGS)} charts of {len(TAGS)} × {options.points:,} points"
    yield ""
    yield from _table(chromium, data, options, len(TAGS))


def _large(chromium: Browser, scratch: Path, options: Options) -> Iterator[str]:
    steps = options.points * LONGER
    data = _data(scratch, options, steps)
    yield f"## {FIRST_CHARTS} charts of {len(TAGS)} × {steps:,} points"
    yield ""
    yield from _table(chromium, data, options, FIRST_CHARTS)


def _data(folder: Path, options: Options, steps: int) -> Path:
    event_file(folder / "events" / "run", steps)
    if options.peers:
        trackio_database(options.peers, folder / "trackio", steps)
    return folder


def _contestants(options: Options) -> list[Contestant]:
    peers = [
        Contestant(TENSORBOARD, "line-chart", options.peers),
        Contestant(TRACKIO, ".plot-container .plot", options.peers),
    ]
    return [Contestant(OURS, ".rlvitals-chart-plot"), *(peers if options.peers else [])]


def _table(chromium: Browser, data: Path, options: Options, charts: int) -> Iterator[str]:
    """A line for each dashboard and opening, with our share of its time."""
    found: dict[tuple[str, str], list[Opening]] = {}
    for name, which, opening in openings(chromium, _contestants(options), data, options.turns, charts):
        found.setdefault((name, which), []).append(opening)
        sys.stderr.write(f"{name}, {which}: {_cells([opening])}\n")
    yield f"| dashboard | opening | seconds, median of {options.turns} | range | server CPU s | ours takes |"
    yield "|---|---|---:|---:|---:|---:|"
    for (name, which), measured in found.items():
        yield f"| {name} | {which} | {_cells(measured)} | {_share(found[OURS, which], measured, name)} |"


def _cells(measured: Sequence[Opening]) -> str:
    cpu = f"{median(one.server_cpu for one in measured):.2f}"
    times = [one.seconds for one in measured if not isinstance(one.seconds, NotDrawn)]
    missed = [one.seconds for one in measured if isinstance(one.seconds, NotDrawn)]
    if missed:
        return f"{missed[0].drawn} of {missed[0].wanted} in time, {len(missed)} × | – | {cpu}"
    return f"{median(times):.2f} | {min(times):.2f}–{max(times):.2f} | {cpu}"


def _share(ours: Sequence[Opening], theirs: Sequence[Opening], name: str) -> str:
    both = [*ours, *theirs]
    if name == OURS or any(isinstance(one.seconds, NotDrawn) for one in both):
        return "–"
    times = [median(one.seconds for one in some if not isinstance(one.seconds, NotDrawn)) for some in (ours, theirs)]
    return f"{times[0] / times[1]:.2f} ×"


def _list(chromium: Browser, scratch: Path, options: Options) -> Iterator[str]:
    steps = max(options.points // LISTED_SHARE, 1)
    for number in range(LISTED):
        event_file(scratch / "runs" / f"run-{number:03}", steps, seed=number)
    yield f"## A list of {LISTED} runs of {len(TAGS)} × {steps:,} points, each with its verdict"
    yield ""
    yield f"| | seconds, median of {options.turns} | range | server CPU s |"
    yield "|---|---:|---:|---:|"
    turns = [listings(chromium, scratch / "runs", LISTED) for _ in range(options.turns)]
    for which in turns[0]:
        yield f"| {which} | {_cells([turn[which] for turn in turns])} |"


def _live(chromium: Browser, _scratch: Path, options: Options) -> Iterator[str]:
    found = live(chromium, 60 * options.minutes)
    yield f"## Live: {RUNS} pages on {RUNS} runs that log {len(TAGS)} metrics a second, {options.minutes:g} minutes"
    yield ""
    yield "The browser ran on the same cores. TensorBoard's page asks for news every 30 s, where that is turned on."
    yield ""
    yield "| | |"
    yield "|---|---:|"
    yield f"| from the written line to the drawn point, p50 | {found.p50:.2f} s |"
    yield f"| p95 | {found.p95:.2f} s |"
    yield f"| steps, and how many of them were never drawn | {found.steps:,}, {found.missing} |"
    yield f"| the server, of a core for each open page | {100 * found.cores_per_page:.1f} % |"
    yield f"| its memory at the start and the end | {found.memory[0]:.0f}, {found.memory[-1]:.0f} MiB |"


def _hour(chromium: Browser, _scratch: Path, _options: Options) -> Iterator[str]:
    yield from hour_table(live(chromium, 60 * _HOUR))


def hour_table(found: Live) -> Iterator[str]:
    """The lines of the page that tell what the server held, at equal distances, and what the new points take alone."""
    taken = found.steps * len(TAGS) * _BYTES_OF_A_POINT / 2**20
    yield f"## An hour of growth: the server's memory, with {RUNS} pages on {RUNS} runs of {len(TAGS)} metrics a second"
    yield ""
    yield (
        f"{found.steps:,} steps were logged, of which {found.missing} were never drawn. Their points alone, a step, a "
        f"value and a time each, take {taken:.0f} MiB."
    )
    yield ""
    distance = _HOUR / (len(found.memory) - 1)
    yield "| after | MiB |"
    yield "|---|---:|"
    yield from (f"| {look * distance:.0f} minutes | {held:.0f} |" for look, held in enumerate(found.memory))


if __name__ == "__main__":
    sys.exit(main())
