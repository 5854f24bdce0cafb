"""Commands on hostile files: each in a process of its own, whose time and memory are measured."""

import json
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

LONGEST, MOST_BYTES = 30.0, 500_000_000  # the machine may be busy: alone each takes some seconds
_SCRIPT = """
import contextlib, io, json, re, sys
from pathlib import Path
from diagnostics.cli import main
out, err = io.StringIO(), io.StringIO()
with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
    code = main(sys.argv[1:])
most = 1024 * int(re.search(r"VmHWM:\\s*(\\d+)", Path("/proc/self/status").read_text())[1])  # its own, not its parent's
print(json.dumps({"code": code, "out": out.getvalue(), "err": err.getvalue(), "most": most}))
"""


@dataclass(frozen=True, slots=True)
class Answer:
    """What a command said, and what it took."""

    code: int
    out: str
    err: str
    seconds: float
    most: int  # bytes of memory


def command(*words: str | Path) -> Answer:
    """Run `rlvitals` with these words; fails if it ends in a traceback, takes too long, or too much memory."""
    started = time.monotonic()
    done = subprocess.run(
        [sys.executable, "-c", _SCRIPT, *map(str, words)], capture_output=True, text=True, timeout=LONGEST, check=False
    )
    assert done.stderr == ""
    said = json.loads(done.stdout)
    assert said["most"] < MOST_BYTES
    assert "mistake of rlvitals" not in said["err"]
    return Answer(said["code"], said["out"], said["err"], time.monotonic() - started, said["most"])
