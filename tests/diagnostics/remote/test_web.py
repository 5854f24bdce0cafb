"""Logs behind a plain web server that knows no ranges: opened and followed all the same."""

import os
import time
from pathlib import Path

import pytest

from diagnostics.api import LiveRun, UnreadableRun, find_runs, open_run
from tests.diagnostics.fetch.test_remote_folder import ROW, served

OLD = 1_700_000_000.0


def test_a_web_servers_run_is_as_old_as_its_log_and_lives_when_that_grows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("RLVITALS_REMOTE_SECONDS", "0.2")
    log = tmp_path / "there" / "run" / "metrics.jsonl"
    log.parent.mkdir(parents=True)
    log.write_text("".join(map(ROW.format_map, ({"step": step} for step in range(1, 500)))))
    os.utime(log, (OLD, OLD))
    with served(tmp_path / "there") as url:
        live = LiveRun(f"{url}/run/")
        run = live.refresh()
        assert run is not None
        assert (run.last_step, run.status.state, run.status.last_written) == (499, "silent", OLD)
        with log.open("a") as file:
            file.write(ROW.format(step=500))
        deadline = time.monotonic() + 20
        while (grown := live.refresh()) is None and time.monotonic() < deadline:
            time.sleep(0.05)
        assert grown is not None
        assert (grown.last_step, grown.status.state) == (500, "running")
        assert len(find_runs(url)) == 1
        with pytest.raises(UnreadableRun, match="there is nothing at http:"):
            open_run(f"{url}/none")
