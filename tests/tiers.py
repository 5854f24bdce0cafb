"""Sorts tests into tiers, fast · process · browser · slow, and keeps processes out of the fast one."""

import multiprocessing.util
import sys
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

TIERS = ("browser", "slow", "process", "fast")
"""A test is in the first of these that it is marked with; without a mark it is fast."""

STARTING = frozenset({"rlvitals", "start_dashboard", "tiny_disk", "small_disk", "read_only_disk"})
"""Fixtures that start processes: whoever asks for one is of the tier `process`."""

BROWSER = Path(__file__).parent / "app" / "browser"
_STARTS = frozenset({"subprocess.Popen", "os.system", "os.fork", "os.forkpty", "os.posix_spawn", "os.exec"})


def tier_of(item: pytest.Item) -> str:
    """The tier of a collected test."""
    if BROWSER in item.path.parents:
        return "browser"
    if marked := [tier for tier in TIERS if item.get_closest_marker(tier)]:
        return marked[0]
    return "process" if STARTING & set(getattr(item, "fixturenames", ())) else "fast"


class ProcessGuard:
    """Refuses to start a process during a fast test. Audit hooks cannot be removed, so one guard serves all tests."""

    def __init__(self) -> None:
        self._is_on = False
        self._refused = ""
        sys.addaudithook(self._on_audit_event)
        self._spawn = multiprocessing.util.spawnv_passfds  # starts a process without an audit event
        multiprocessing.util.spawnv_passfds = self._spawn_heard

    @contextmanager
    def watching(self, item: pytest.Item) -> Iterator[None]:
        """Activate the guard for a fast test, including its fixtures."""
        self._is_on, self._refused = tier_of(item) == "fast", ""
        try:
            yield
        finally:
            self._is_on = False

    def check(self) -> None:
        """Fail the test if a process was refused, since a thread or a broad `except` may have hidden it."""
        if self._refused:
            pytest.fail(self._refused, pytrace=False)

    def _on_audit_event(self, event: str, arguments: tuple[Any, ...]) -> None:
        if self._is_on and event in _STARTS:
            self._refuse(event)

    def _spawn_heard(self, *arguments: Any) -> Any:
        if self._is_on:
            self._refuse("multiprocessing")
        return self._spawn(*arguments)

    def _refuse(self, how: str) -> None:
        self._refused = f"a fast test starts a process ({how}); mark it with @pytest.mark.process"
        raise PermissionError(self._refused)


_GUARD = ProcessGuard()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark every test with its tier, so that `-m fast` and the like can select by it."""
    for item in items:
        item.add_marker(tier_of(item))


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, bool, bool]:
    """Prevent fast tests from starting a process."""
    with _GUARD.watching(item):
        return (yield)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call() -> Generator[None, None, None]:
    """Fail a fast test that tried to, even if the refusal was swallowed."""
    yield
    _GUARD.check()
