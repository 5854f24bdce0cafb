"""Tests of `rlvitals ui`: a real dashboard on a real port, its address, and how it ends."""

import http.client
import os
import re
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psutil
import pytest

pytestmark = pytest.mark.process

COMMAND = Path(sys.executable).with_name("rlvitals")


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
        process.communicate(timeout=20)


def address(process: "subprocess.Popen[str]") -> tuple[str, int]:
    """The host and port of the first line, which comes as soon as the page can be opened."""
    assert process.stdout is not None
    line = process.stdout.readline()
    found = re.fullmatch(r"http://([\d.]+):(\d+)/\?token=[\w-]{43}\n", line)
    assert found, f"no address but {line!r}"
    return found[1], int(found[2])


def health(host: str, port: int) -> tuple[int, bytes]:
    connection = http.client.HTTPConnection(host, port, timeout=5)
    connection.request("GET", "/_stcore/health")
    answer = connection.getresponse()
    return answer.status, answer.read()


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def test_a_dashboard_whose_command_was_killed_ends_by_itself(tmp_path: Path) -> None:
    with dashboard(tmp_path, "ui", ".", "--port", str(free_port())) as process:
        address(process)
        (server,) = psutil.Process(process.pid).children()
        process.send_signal(signal.SIGKILL)
        process.wait(timeout=10)

        gone, alive = psutil.wait_procs([server], timeout=20)

    assert [server] == gone
    assert alive == []


def test_the_address_is_printed_when_the_page_can_be_opened_and_a_signal_ends_everything(tmp_path: Path) -> None:
    port = free_port()
    with dashboard(tmp_path, "ui", ".", "--port", str(port)) as process:
        assert address(process) == ("127.0.0.1", port)
        assert health("127.0.0.1", port) == (200, b"ok")
        (server,) = psutil.Process(process.pid).children()
        process.send_signal(signal.SIGTERM)
        assert process.wait(20) == 0
        assert not server.is_running()


def test_a_taken_port_gives_the_next_free_one(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with dashboard(tmp_path, "--port", str(port)) as process:
            found = address(process)[1]
            assert port < found <= port + 50
            assert health("127.0.0.1", found)[0] == 200


def test_over_ssh_the_tunnel_is_told(tmp_path: Path) -> None:
    port = free_port()
    with dashboard(tmp_path, "--port", str(port), SSH_CONNECTION="10.0.0.9 50000 10.0.0.1 2222") as process:
        found = address(process)[1]
        assert process.stdout is not None
        assert f"ssh -p 2222 -L {found}:127.0.0.1:{found} " in process.stdout.readline()


def test_ctrl_c_ends_the_dashboard_quietly(tmp_path: Path) -> None:
    with dashboard(tmp_path, "--port", str(free_port())) as process:
        address(process)
        process.send_signal(signal.SIGINT)
        assert process.wait(20) == 0
        assert process.stderr is not None
        assert process.stderr.read() == ""


def test_a_missing_app_extra_gets_one_sentence(rlvitals, tmp_path: Path) -> None:
    (tmp_path / "sitecustomize.py").write_text("import sys\nsys.modules['streamlit'] = None\n")
    refused = rlvitals("ui", ".", PYTHONPATH=str(tmp_path))
    assert refused.returncode == 2
    assert "this needs streamlit, which " in refused.stderr
    assert "run: pip install 'rlvitals[app]'" in refused.stderr
