"""How long a folder of many runs takes until each has its verdict in our list, cold and from the cache."""

import tempfile
import time
from pathlib import Path

from playwright.sync_api import Browser, Page
from playwright.sync_api import TimeoutError as TooLate

from benchmarks.dashboards.drawing import NotDrawn
from benchmarks.dashboards.opening import WINDOW, Opening
from benchmarks.dashboards.servers import our_page, ours

_SECONDS = 180.0  # for the whole list
_LISTED = """count => document.querySelectorAll('.rlv-name').length >= count
  && !/reading (…|\\d)/.test(document.body.innerText)"""


def listings(browser: Browser, folder: Path, runs: int) -> dict[str, Opening]:
    """Cold and from the cache, each by a fresh server."""
    with tempfile.TemporaryDirectory() as scratch:
        return {which: _listed(browser, folder, runs, Path(scratch)) for which in ("cold", "from the cache")}


def _listed(browser: Browser, folder: Path, runs: int, scratch: Path) -> Opening:
    server = ours(folder, scratch / "ours.out", scratch / "cache")
    context = browser.new_context(viewport={**WINDOW, "height": max(WINDOW["height"], 40 * runs)})
    try:
        server.await_idle()
        page = context.new_page()
        before, start = server.cpu, time.perf_counter()
        page.goto(our_page(server), wait_until="commit")
        seconds = _until_listed(page, runs, start)
        return Opening(seconds, server.cpu - before)
    finally:
        context.close()
        server.close()


def _until_listed(page: Page, runs: int, start: float) -> float | NotDrawn:
    try:
        page.wait_for_function(_LISTED, arg=runs, timeout=_SECONDS * 1000, polling=50)
    except TooLate:
        return NotDrawn(page.locator(".rlv-name").count(), runs)
    return time.perf_counter() - start
