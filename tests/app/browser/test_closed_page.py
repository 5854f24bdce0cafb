"""A page that is closed leaves no work behind."""

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import psutil
import pytest

from diagnostics.api import open_run
from diagnostics.runlog import EVENTS_FILE, RunLog
from tests.app.browser.conftest import wait_until

LINE = b'{"step": 1, "time": 1.0, "metrics": {"reward": 1.0}}\n'
LINES = 10_000_000  # most of a minute to read
A_SHARE = 100_000
Fixture = Callable[..., Any]


def cpu_seconds(process: psutil.Process) -> float:
    """What a process and its children have used so far."""
    return sum(sum(one.cpu_times()[:2]) for one in (process, *process.children(recursive=True)))


def is_at_rest(process: psutil.Process) -> bool:
    """Whether it uses less than a tenth of a core for a second."""
    before = cpu_seconds(process)
    time.sleep(1)
    return cpu_seconds(process) - before < 0.1


def write(folder: Path, lines: int) -> None:
    """A log of so many lines."""
    with RunLog(folder, algorithm="grpo") as log:
        log.log(1, {"reward": 1.0})
    with (folder / EVENTS_FILE).open("ab") as file:
        for _ in range(lines // A_SHARE):
            file.write(LINE * A_SHARE)


def cpu_seconds_to_read_a_share(folder: Path) -> float:
    """What this process takes to read a hundredth of the long log."""
    write(folder, A_SHARE)
    before = time.process_time()
    open_run(folder)
    return time.process_time() - before


@pytest.mark.browser
def test_reading_a_long_log_ends_when_its_page_is_closed(
    start_dashboard: Fixture, open_screen: Fixture, tmp_path: Path
) -> None:
    share = cpu_seconds_to_read_a_share(tmp_path / "share")
    write(tmp_path / "shown" / "long", LINES)
    dashboard = start_dashboard(tmp_path / "shown")
    process = psutil.Process(dashboard.process.pid)
    wait_until(lambda: is_at_rest(process), "the dashboard to have started")

    before = cpu_seconds(process)
    screen = open_screen(dashboard.url_of(tmp_path / "shown" / "long"))
    wait_until(lambda: not any(is_at_rest(process) for _ in range(3)), "the log to be read")  # a page is there sooner
    screen.page.context.close()
    wait_until(lambda: is_at_rest(process), "the reading to end", seconds=20)
    assert cpu_seconds(process) - before < share * LINES / A_SHARE / 2
