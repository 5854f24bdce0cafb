"""A run is opened when its page is asked for, if it may be: before the page's scripts have come to ask for it."""

from pathlib import Path
from urllib.parse import urlencode

import pytest

from app import read_ahead
from app.load.runs import close, is_open
from app.read_ahead import ReadAhead
from benchmarks.event_files import LAYOUTS, write
from diagnostics.foreign_files import confine_to
from diagnostics.runlog import RunLog
from tests.event_loop import run_apart


@pytest.fixture
def shown(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """A folder that is shown, with a run; beside it a hidden one."""
    monkeypatch.setenv("RLVITALS_PATHS", str(tmp_path / "shown"))
    for name in ("shown/a", "hidden/b"):
        with RunLog(tmp_path / name, algorithm="grpo") as log:
            log.log(1, {"reward": 0.5})
    yield tmp_path / "shown"
    confine_to(None)
    for path in (tmp_path / "shown" / "a", tmp_path / "hidden" / "b"):
        close(str(path))


def asked_for(path: str, **query: object) -> None:
    """Have the middleware serve a request, and what it reads ahead read."""
    served = []

    async def app(scope, receive, send) -> None:
        served.append(scope["path"])

    middleware = ReadAhead(app, "/base")
    scope = {"type": "http", "method": "GET", "path": path, "query_string": urlencode(query).encode(), "headers": []}

    async def serve() -> None:
        await middleware(scope, None, None)  # type: ignore[arg-type]

    run_apart(serve())
    middleware._pool.shutdown()
    assert served == [path]


def test_a_run_is_open_once_its_page_was_asked_for(shown: Path) -> None:
    asked_for("/base/run", run=shown / "a")
    assert is_open(str(shown / "a"))


@pytest.mark.parametrize("path", ["../hidden/b", "nowhere", "a\0b"])
def test_what_may_not_be_shown_is_not_opened(shown: Path, path: str) -> None:
    asked_for("/base/run", run=shown / path)
    assert not is_open(str(shown / path))


def test_other_pages_open_nothing(shown: Path) -> None:
    asked_for("/base/compare", run=shown / "a")
    assert not is_open(str(shown / "a"))


def test_a_large_log_waits_for_its_page(shown: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(read_ahead, "_BYTES_PER_SECOND", 1)
    asked_for("/base/run", run=shown / "a")
    assert not is_open(str(shown / "a"))


def test_event_files_may_be_larger_since_they_are_read_faster(shown: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(shown / "events", LAYOUTS["eval rows"](10))
    monkeypatch.setattr(read_ahead, "_BYTES_PER_SECOND", 1)
    asked_for("/base/run", run=shown / "events")
    assert is_open(str(shown / "events"))
