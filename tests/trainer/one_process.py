"""Several trainings in one process of their own, one after another, since starting it is what takes time."""

import json
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def run_trainings(folder: Path, script: str, words: Mapping[str, Sequence[str]]) -> None:
    """Run a script in the folder that reads each training's arguments, by name, from its own first one as JSON."""
    subprocess.run(
        [sys.executable, "-P", "-c", script, json.dumps(words)],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        check=True,
        capture_output=True,
    )
