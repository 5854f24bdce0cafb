"""Tests of process identity, with real processes."""

import subprocess
import sys
import time
from dataclasses import replace

import psutil
import pytest

from diagnostics.runlog.process import ProcessIdentity


def test_the_calling_process_lives() -> None:
    assert ProcessIdentity.current().is_alive


def test_another_process_under_the_same_pid_is_not_taken_for_it() -> None:
    assert not replace(ProcessIdentity.current(), started=12.0).is_alive


def test_another_boot_or_host_is_never_judged_alive() -> None:
    assert not replace(ProcessIdentity.current(), boot_id="another").is_alive
    assert not replace(ProcessIdentity.current(), host="another").is_alive


@pytest.mark.process
def test_a_killed_child_that_nobody_waited_for_has_ended() -> None:
    child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"])
    identity = replace(ProcessIdentity.current(), pid=child.pid, started=psutil.Process(child.pid).create_time())
    assert identity.is_alive
    child.kill()
    deadline = time.monotonic() + 10
    while psutil.Process(child.pid).status() != psutil.STATUS_ZOMBIE and time.monotonic() < deadline:
        time.sleep(0.01)
    assert not identity.is_alive
    child.wait(timeout=10)
