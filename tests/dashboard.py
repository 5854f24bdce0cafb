"""A real dashboard process for tests, and what knocks at its door without a browser."""

import http.client
import os
import re
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from email.message import Message
from pathlib import Path
from urllib.parse import SplitResult, urlsplit

from websockets.exceptions import InvalidStatus
from websockets.sync.client import connect
from websockets.typing import Origin

COMMAND = Path(sys.executable).with_name("rlvitals")
STREAM = "/_stcore/stream"
_PRINTED = re.compile(r"http://[\d.]+:\d+(/[\w/]*\?token=[\w-]{43})?\n")
_SECONDS = 10


@contextmanager
def dashboard(folder: Path, *words: str, **environment: str) -> Iterator["subprocess.Popen[str]"]:
    """A dashboard that is told to end, and has ended, when the block is left."""
    process = subprocess.Popen(
        [COMMAND, *words],
        cwd=folder,
        env={**os.environ, **environment},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        yield process
    finally:
        process.terminate()
        process.communicate(timeout=60)


def printed_address(process: "subprocess.Popen[str]") -> SplitResult:
    """The address on the first line, which comes as soon as the page can be opened."""
    assert process.stdout is not None
    line = process.stdout.readline()
    assert _PRINTED.fullmatch(line), f"no address but {line!r}"
    return urlsplit(line.strip())


def free_port() -> int:
    """A port of the loopback that is free now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def listens(port: int) -> bool:
    """Whether a process takes connections on this port of the loopback."""
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


@dataclass(frozen=True, slots=True)
class Answer:
    """The answer to a request, read to its end."""

    status: int
    headers: Message
    body: str


def ask(port: int, path: str, method: str = "GET", **headers: str) -> Answer:
    """Send one request; `Host` among the headers takes the place of the real one."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=_SECONDS)
    connection.request(method, path, headers=headers)
    response = connection.getresponse()
    return Answer(response.status, response.headers, response.read().decode())


def handshake(port: int, host: str, origin: str | None, cookie: str = "", path: str = STREAM) -> int:
    """The status that a WebSocket gets which calls the dashboard by this host; 101 is an open one."""
    with socket.create_connection(("127.0.0.1", port), _SECONDS) as link:
        try:
            with connect(
                f"ws://{host}{path}",
                sock=link,
                origin=None if origin is None else Origin(origin),
                additional_headers={"Cookie": cookie} if cookie else {},
                proxy=None,
            ):
                return 101
        except InvalidStatus as refused:
            return refused.response.status_code
