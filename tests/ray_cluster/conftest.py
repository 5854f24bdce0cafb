"""A real Ray cluster of one machine, from an environment of its own: make test-ray."""

import json
import os
import socket
import subprocess
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

RAY = Path(__file__).resolve().parents[2] / ".venv-ray" / "bin" / "ray"
_SECONDS = 90.0


@pytest.fixture(scope="session")
def ray_address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of its job server."""
    if not RAY.exists():
        pytest.skip("Ray is not installed: make test-ray")
    folder = Path("/tmp") / f"ray-{os.getpid()}"  # the paths of its sockets must be short
    ports = dict(zip(("port", "dashboard-port", "dashboard-agent-listen-port"), _free_ports(3), strict=True))
    process = subprocess.Popen(
        [
            *(RAY, "start", "--head", "--block", "--num-cpus=2", "--object-store-memory=80000000"),
            *("--node-ip-address=127.0.0.1", "--dashboard-host=127.0.0.1", f"--temp-dir={folder}"),
            *(f"--{name}={port}" for name, port in ports.items()),
        ],
        stdout=(tmp_path_factory.mktemp("ray") / "console.log").open("wb"),
        stderr=subprocess.STDOUT,
        start_new_session=True,
        env={**os.environ, "RAY_USAGE_STATS_ENABLED": "0"},
    )
    address = f"http://127.0.0.1:{ports['dashboard-port']}"
    try:
        _await_answer(f"{address}/api/version", process)
        yield address
    finally:
        _end(process)


def _end(process: "subprocess.Popen[bytes]") -> None:
    """End the cluster with all its processes, which are the command's children until then."""
    children = psutil.Process(process.pid).children(recursive=True)
    process.terminate()
    _gone, left = psutil.wait_procs(children, timeout=10)
    for child in left:
        child.kill()
    process.kill()
    process.wait()


def _free_ports(count: int) -> list[int]:
    held = [socket.create_server(("127.0.0.1", 0)) for _ in range(count)]
    ports = [place.getsockname()[1] for place in held]
    for place in held:
        place.close()
    return ports


def _await_answer(address: str, process: "subprocess.Popen[bytes]") -> None:
    deadline = time.monotonic() + _SECONDS
    while time.monotonic() < deadline and process.poll() is None:
        try:
            with urllib.request.urlopen(address, timeout=5) as answer:
                assert json.load(answer)["ray_version"]
            return
        except (OSError, ValueError):
            time.sleep(0.5)
    pytest.fail(f"Ray does not answer at {address}")
