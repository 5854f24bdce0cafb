"""A page that is closed leaves no work behind."""

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import psutil
import pytest

from diagnostics.runlog import EVENTS_FILE, RunLog
from tests.app.browser.conftest import wait_until

LINE = b'{"step": 1, "time": 1.0, "metrics": {"reward": 1.0}}\n'
LINES = 10_000_000  # a minute or more to read
Fixture = Callable[..., Any]


def cpu_seconds(process: psutil.Process) -> float:
    """What a process and its children have used so far."""
    return sum(sum(one.cpu_times()[:2]) for one in (process, *process.children(recursive=True)))


def is_at_rest(process: psutil.Process) -> bool:
    """Whether it uses less than a tenth of a core for a second."""
    before = cpu_seconds(process)
    time.sleep(1)
    return cpu_seconds(process) - before < 0.1


@pytest.mark.browser
def test_reading_a_long_log_ends_when_its_page_is_closed(
    start_dashboard: Fixture, open_screen: Fixture, tmp_path: Path
) -> None:
    with RunLog(tmp_path / "long", algorithm="grpo") as log:
        log.log(1, {"reward": 1.0})
    with (tmp_path / "long" / EVENTS_FILE).open("ab") as file:
        for _ in range(LINES // 100_000):
            file.write(LINE * 100_000)
    dashboard = start_dashboard(tmp_path)
    process = psutil.Process(dashboard.process.pid)
    wait_until(lambda: is_at_rest(process), "the dashboard to have started")

    screen = open_screen(dashboard.url_of(tmp_path / "long"))
    wait_until(lambda: not is_at_rest(process), "the log to be read")
    screen.page.context.close()
    wait_until(lambda: is_at_rest(process), "the reading to end", seconds=20)
