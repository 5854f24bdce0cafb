"""A real dashboard, real trainings and a real Chromium: what the browser tests stand on."""

import os
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import orjson
import pytest
from playwright.sync_api import Browser, ConsoleMessage, Page, sync_playwright

from diagnostics.processes import ProcessIdentity
from diagnostics.runlog import STATUS_FILE

PATIENCE = 60.0  # seconds: torch alone takes ten to import when the two cores are busy
CHROMIUM_NAMES = ("chromium", "chromium-browser", "google-chrome")
CHROMIUM_FLAGS = (
    "--no-sandbox",  # a container's root has no user namespaces
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
)
WIDTH, HEIGHT = 1280, 800


def wait_until[T](look: Callable[[], T], what: str, seconds: float = PATIENCE) -> T:
    """The first true value of `look`; fails with `what` after `seconds`."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        if found := look():
            return found
        time.sleep(0.05)
    pytest.fail(f"waited {seconds:.0f} s for {what}")
