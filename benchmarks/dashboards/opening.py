"""How long a page takes until its charts are drawn, and what the server spent on it; the dashboards take turns."""

import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from playwright.sync_api import Browser, Error, Page

from benchmarks.dashboards.drawing import NotDrawn, seconds_until_drawn
from benchmarks.dashboards.servers import OURS, Contestant, Server, Stuck

FIRST_CHARTS = 12
OUR_FIRST_SECTION = 17
"""The charts of our first section; the others are on another."""
WHICH = ("first", "second")
WINDOW = {"width": 2560, "height": 1800}  # each dashboard shows twelve charts without scrolling
TALL_WINDOW = {"width": 2560, "height": 5200}  # all forty
_MILLISECONDS = 120_000  # for a page to answer
# TensorBoard shows twelve cards at a time unless told otherwise.
_MORE_CARDS = "localStorage.setItem('_tb_global_settings', JSON.stringify({paginationSize: 100}))"


@dataclass(frozen=True, slots=True)
class Opening:
    """One opening of a page: seconds until its charts were drawn, and CPU seconds of the server meanwhile."""

    seconds: float | NotDrawn
    server_cpu: float


def openings(
    browser: Browser, contestants: Sequence[Contestant], data: Path, turns: int, charts: int
) -> Iterator[tuple[str, str, Opening]]:
    """For each turn and dashboard its name, "first" or "second", and the opening; the server was idle before.

    Each turn has a fresh server without a cache of its own; the second opening is that of another browser.
    """
    for _ in range(turns):
        for contestant in contestants:
            both = _both(browser, contestant, data, charts)
            yield from ((contestant.name, which, opening) for which, opening in zip(WHICH, both, strict=True))


def _both(browser: Browser, contestant: Contestant, data: Path, charts: int) -> list[Opening]:
    """The first and the second opening; a server that does not come up has drawn nothing."""
    found: list[Opening] = []
    with tempfile.TemporaryDirectory() as scratch, suppress(Stuck):
        server = contestant.start(data, Path(scratch))
        try:
            for _ in WHICH:
                server.await_idle()
                found.append(opened(browser, contestant, server, data, charts))
        finally:
            server.close()
    return [*found, *[Opening(NotDrawn(0, charts), 0.0)] * (len(WHICH) - len(found))]


def opened(browser: Browser, contestant: Contestant, server: Server, data: Path, charts: int) -> Opening:
    """One opening in a browser that has never seen the page."""
    is_first = charts <= FIRST_CHARTS
    context = browser.new_context(viewport=WINDOW if is_first else TALL_WINDOW, color_scheme="light")
    context.set_default_timeout(_MILLISECONDS)
    if not is_first:
        context.add_init_script(_MORE_CARDS)
    try:
        page = context.new_page()
        before, start = server.cpu, time.perf_counter()
        try:
            page.goto(contestant.page(server, data), wait_until="commit")
            seconds = _until_drawn(page, contestant, charts, start)
        except Error:  # the page, or the browser's view of it, is gone
            seconds = NotDrawn(0, charts)
        return Opening(seconds, server.cpu - before)
    finally:
        context.close()


def _until_drawn(page: Page, contestant: Contestant, charts: int, start: float) -> float | NotDrawn:
    """The seconds until so many charts are drawn; of ours, those of the first section come first."""
    first = min(charts, OUR_FIRST_SECTION) if contestant.name == OURS else charts
    seconds = seconds_until_drawn(page, contestant.plots, first, start)
    if first == charts or isinstance(seconds, NotDrawn):
        return seconds
    page.get_by_role("radio", name="All metrics").click()
    return seconds_until_drawn(page, contestant.plots, charts - first, start)
