"""What happens to runs, pages and a dashboard, at random times from a seed: kills, suspensions, deletions, restarts."""

import random
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from playwright.sync_api import Browser

from benchmarks.enduring.dashboard import Dashboard
from benchmarks.enduring.pages import Tab
from benchmarks.enduring.runs import GrowingRun

PAUSE = (2.0, 15.0)  # seconds until what was killed or suspended goes on
WEIGHTS = {
    "killed and resumed": 5,
    "stopped and resumed": 2,
    "suspended and continued": 3,
    "deleted and replaced": 2,
    "page closed and opened": 8,
    "dashboard killed and restarted": 2,
}


@dataclass
class World:
    """Everything that is disturbed. The lasting dashboard is never killed: its memory is what is measured."""

    runs: Sequence[GrowingRun]
    lasting: Dashboard
    killed: Dashboard
    tabs: list[Tab]
    chromium: Browser
    dice: random.Random
    counts: Counter[str] = field(default_factory=Counter)
    troubles: list[str] = field(default_factory=list)
    pending: list[tuple[float, Callable[[], None]]] = field(default_factory=list)
    busy: set[Path] = field(default_factory=set)

    def disturb(self, now: float) -> None:
        """Do one thing that the dice name."""
        what = self.dice.choices(list(WEIGHTS), list(WEIGHTS.values()))[0]
        if what == "page closed and opened":
            self._reopen(self.dice.randrange(len(self.tabs)))
        elif what == "dashboard killed and restarted":
            self._restart()
        else:
            idle = [run for run in self.runs if self._can_be_hit(run)]
            if not idle:
                return
            self._hit(self.dice.choice(idle), what, now)
        self.counts[what] += 1

    def follow_up(self, now: float) -> None:
        """Let go on what is due."""
        due = [item for item in self.pending if item[0] <= now]
        self.pending = [item for item in self.pending if item[0] > now]
        for _, action in due:
            action()

    def settle(self) -> None:
        """Let everything go on that waits, and note what ended by itself."""
        self.follow_up(float("inf"))
        for run in self.runs:
            run.await_begun()
            run.settle()

    def open_tab(self, dashboard: Dashboard, run: Path | None) -> Tab:
        """A new page."""
        return Tab(self.chromium, dashboard, run)

    def _can_be_hit(self, run: GrowingRun) -> bool:
        return run.folder not in self.busy and run.has_begun and not run.has_ended and run.steps is None

    def _hit(self, run: GrowingRun, what: str, now: float) -> None:
        if what == "deleted and replaced":
            run.replace()
            return
        {"killed and resumed": run.kill, "stopped and resumed": run.stop, "suspended and continued": run.suspend}[
            what
        ]()
        self.busy.add(run.folder)
        self.pending.append((now + self.dice.uniform(*PAUSE), lambda: self._let_go_on(run)))

    def _let_go_on(self, run: GrowingRun) -> None:
        self.busy.discard(run.folder)
        if run.is_suspended:
            run.go_on()
        else:
            run.start(resumed=True)

    def _reopen(self, number: int) -> None:
        old = self.tabs[number]
        self.troubles += old.exceptions()
        old.close()
        target = self.dice.choice([None, *(run.folder for run in self.runs)])
        self.tabs[number] = self.open_tab(old.dashboard, target)

    def _restart(self) -> None:
        self.killed.kill()
        self.killed.start()
        for number, tab in enumerate(self.tabs):
            if tab.dashboard is self.killed:
                tab.close()
                self.tabs[number] = self.open_tab(self.killed, tab.run)
