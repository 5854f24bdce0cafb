"""Tests of the alerts of a dashboard."""

import json
import sys
import time
from pathlib import Path

import pytest

from diagnostics.cli.dashboard_alerts import alerts_over
from diagnostics.runlog import RunLog


@pytest.mark.process
def test_a_dashboard_tells_what_happens_in_its_folders_with_its_own_address(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    kept, alerts = tmp_path / "kept.json", tmp_path / "rlvitals" / "alerts.toml"
    alerts.parent.mkdir()
    keep = f"import sys; open({str(kept)!r}, 'w').write(sys.stdin.read())"
    alerts.write_text(f"[[send]]\ncommand = {json.dumps([sys.executable, '-c', keep])}")
    alerts.chmod(0o600)
    with RunLog(tmp_path / "runs" / "a") as log:
        log.log(1, {"reward": 0.5})
        log.close("failed", "CUDA out of memory")
    with alerts_over([tmp_path / "runs"], "http://127.0.0.1:8501"):
        deadline = time.monotonic() + 30
        while not (kept.exists() and kept.stat().st_size) and time.monotonic() < deadline:
            time.sleep(0.05)
    told = json.loads(kept.read_text())
    assert (told["kind"], told["title"]) == ("failed", "FAILED a: CUDA out of memory")
    assert told["page"] == f"http://127.0.0.1:8501/?run={tmp_path / 'runs' / 'a'}"
