"""Pages in a headless Chromium that are open, closed and opened elsewhere, and what a list of runs shows."""

import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlencode

from playwright.sync_api import Browser, Error, Page, sync_playwright

from benchmarks.enduring.dashboard import Dashboard

NAMES = ("chromium", "chromium-browser", "google-chrome")
FLAGS = ("--no-sandbox", "--disable-gpu", "--disable-background-networking", "--no-first-run")
ROWS = """() => [...document.querySelectorAll('[role=grid] [role=row]')]
  .map(row => [...row.querySelectorAll('[role=gridcell]')].map(cell => cell.textContent))"""
SLOWEST_PAGE = 60_000  # ms


@contextmanager
def browser(environment: Mapping[str, str]) -> Iterator[Browser]:
    """The Chromium on PATH."""
    path = next(filter(None, map(shutil.which, NAMES)), None)
    if path is None:
        raise SystemExit(f"no {', '.join(NAMES)} on PATH; install one: apt-get install chromium")
    with sync_playwright() as playwright:
        opened = playwright.chromium.launch(executable_path=path, args=list(FLAGS), env=dict(environment))
        try:
            yield opened
        finally:
            opened.close()


class Tab:
    """One page in a browser profile of its own."""

    def __init__(self, chromium: Browser, dashboard: Dashboard, run: Path | None) -> None:
        """The page of a run, or the list of runs. The printed address comes first: it may carry a token."""
        self.dashboard, self.run = dashboard, run
        self._context = chromium.new_context()
        self._context.set_default_timeout(SLOWEST_PAGE)
        self.page: Page = self._context.new_page()
        self.page.goto(dashboard.address, wait_until="commit")
        if run is not None:
            self.page.goto(dashboard.url(f"run?{urlencode({'run': run})}"), wait_until="commit")

    def close(self) -> None:
        """Close it as a user closes a tab."""
        self._context.close()

    def exceptions(self) -> list[str]:
        """The exceptions that Streamlit shows; a page whose dashboard is gone shows none."""
        try:
            return self.page.get_by_test_id("stException").all_inner_texts()
        except Error:
            return []

    def shown_states(self) -> dict[str, str]:
        """Of a list of runs: name → state, as drawn."""
        self.page.wait_for_selector("[role=gridcell]", state="attached")
        rows: list[list[str]] = self.page.evaluate(ROWS)
        return {cells[1]: cells[0].split(" ", 1)[-1] for cells in rows if len(cells) > 1}
