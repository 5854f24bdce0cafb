"""`rlvitals watch` on the run of a training, as a process of its own that sends alerts and says when to stop.

No rule runs in the training's process: its interpreter lock is the training's alone, and where the training is killed,
the watcher still tells.
"""

import json
import logging
import os
import subprocess
import sys
import threading
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from diagnostics.model.outcome import Severity
from diagnostics.stop_policy import Holding, StopPolicy
from diagnostics.visible_text import one_line

_ONE_THREAD = ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS")
_ENDED = "ended"
_log = logging.getLogger("rlvitals")


class Watcher:
    """A process that watches one run until it has ended, whatever becomes of its parent."""

    def __init__(self, run_dir: Path, alerts: Path | None, policy: StopPolicy) -> None:
        """Start the process. Raises OSError."""
        self._policy = policy
        self.stop_reason = ""
        self.verdict = ""
        words = ["watch", str(run_dir), "--format", "json", "--until-end", "--detached"]
        self._process = subprocess.Popen(
            [sys.executable, "-P", "-m", "diagnostics.cli", *words, *(["--alerts", str(alerts)] if alerts else [])],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            env={**os.environ, **dict.fromkeys(_ONE_THREAD, "1")},
            start_new_session=True,  # Ctrl-C is for the training
        )
        self._thread = threading.Thread(target=self._follow, name="rlvitals-watcher", daemon=True)
        self._thread.start()

    def wait(self, seconds: float) -> None:
        """Wait for its last word, but no longer than this; it goes on by itself."""
        self._thread.join(seconds)

    def _follow(self) -> None:
        for line in self._process.stdout or ():
            try:
                self._take(json.loads(line))
            except (ValueError, KeyError, TypeError):
                _log.debug("not a line of rlvitals watch: %r", line, exc_info=True)
        self._process.wait()

    def _take(self, row: Mapping[str, Any]) -> None:
        for alert in row["alerts"]:
            if alert["kind"] != _ENDED:  # the callback itself tells how it ended
                _log.warning("rlvitals: %s", one_line(alert["title"]))
        self.verdict = one_line(f"{row['verdict']}: {row['headline']}")
        self.stop_reason = self.stop_reason or self._policy.reason(row["step"], _holding(row))


def _holding(row: Mapping[str, Any]) -> Iterator[Holding]:
    for finding in row["findings"]:
        if finding["still"]:
            names = frozenset((finding["name"], *finding["rules"]))
            yield Holding(finding["name"], names, Severity(finding["severity"]))
