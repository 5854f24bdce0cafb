"""A fast test cannot start a process by any means; a marked one can."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
TRIES = """
import multiprocessing, os, subprocess, threading
import pytest

def test_directly():
    subprocess.run(["true"])

def test_in_a_thread():
    thread = threading.Thread(target=os.system, args=("true",))
    thread.start()
    thread.join()

def test_spawned():
    multiprocessing.get_context("spawn").Process(target=print).start()

def test_forked():
    os.fork()

@pytest.mark.process
def test_marked():
    subprocess.run(["true"])

def test_without_any():
    pass
"""


@pytest.mark.process
def test_a_fast_test_that_starts_a_process_fails_with_what_to_do(tmp_path: Path) -> None:
    (tmp_path / "test_tries.py").write_text(TRIES)
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-p", "tests.tiers", "-q", "-W", "ignore", "--rootdir", str(tmp_path), "."],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert "4 failed, 2 passed" in done.stdout
    assert "mark it with @pytest.mark.process" in done.stdout
