"""Tests of `rlvitals ui`: a real dashboard on a real port, its address, and how it ends."""

import signal
import socket
import subprocess
from pathlib import Path

import psutil
import pytest

from tests.dashboard import ask, dashboard, free_port, printed_address

pytestmark = pytest.mark.process


def test_a_dashboard_whose_command_was_killed_ends_by_itself(tmp_path: Path) -> None:
    with dashboard(tmp_path, "ui", ".", "--port", str(free_port())) as process:
        printed_address(process)
        (server,) = psutil.Process(process.pid).children()
        process.send_signal(signal.SIGKILL)
        process.wait(timeout=10)

        gone, alive = psutil.wait_procs([server], timeout=60)

    assert [server] == gone
    assert alive == []


def test_the_address_is_printed_when_the_page_can_be_opened_and_a_signal_ends_everything(tmp_path: Path) -> None:
    port = free_port()
    with dashboard(tmp_path, "ui", ".", "--port", str(port)) as process:
        printed = printed_address(process)
        assert (printed.hostname, printed.port) == ("127.0.0.1", port)
        assert ask(port, "/_stcore/health").status == 200
        (server,) = psutil.Process(process.pid).children()
        process.send_signal(signal.SIGTERM)
        assert process.wait(60) == 0
        assert not server.is_running()


def test_a_taken_port_gives_the_next_free_one(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with dashboard(tmp_path, "--port", str(port)) as process:
            found = printed_address(process).port
            assert found is not None
            assert port < found <= port + 50
            assert ask(found, "/_stcore/health").status == 200


def test_over_ssh_the_tunnel_is_told(tmp_path: Path) -> None:
    port = free_port()
    with dashboard(tmp_path, "--port", str(port), SSH_CONNECTION="10.0.0.9 50000 10.0.0.1 2222") as process:
        found = printed_address(process).port
        assert process.stdout is not None
        assert f"ssh -p 2222 -L {found}:127.0.0.1:{found} " in process.stdout.readline()


def test_ctrl_c_ends_the_dashboard_quietly(tmp_path: Path) -> None:
    with dashboard(tmp_path, "--port", str(free_port())) as process:
        printed_address(process)
        process.send_signal(signal.SIGINT)
        try:
            assert process.wait(60) == 0
        except subprocess.TimeoutExpired:  # seen once in hundreds of times: say which signals it ignores or holds back
            pytest.fail(Path(f"/proc/{process.pid}/status").read_text())
        assert process.stderr is not None
        assert process.stderr.read() == ""


def test_a_ctrl_c_that_python_drops_in_a_finalizer_ends_the_dashboard_too(tmp_path: Path) -> None:
    (tmp_path / "sitecustomize.py").write_text(
        "import contextlib, os, signal\n"
        "from diagnostics.cli import dashboard_alerts\n"
        "class Dropped:\n"
        "    def __del__(self):\n"
        "        os.kill(os.getpid(), signal.SIGINT)\n"
        "alerts_over = dashboard_alerts.alerts_over\n"
        "def interrupted(*given):\n"
        "    Dropped()\n"
        "    return alerts_over(*given)\n"
        "dashboard_alerts.alerts_over = interrupted\n"
    )
    with dashboard(tmp_path, "--port", str(free_port()), PYTHONPATH=str(tmp_path)) as process:
        printed_address(process)
        assert process.wait(60) == 0


def test_what_was_told_to_outlive_its_terminal_does(tmp_path: Path) -> None:
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        with dashboard(tmp_path, "--port", str(free_port())) as process:
            signal.signal(signal.SIGHUP, before)
            port = printed_address(process).port
            assert port is not None
            process.send_signal(signal.SIGHUP)
            with pytest.raises(subprocess.TimeoutExpired):
                process.wait(2)
            assert ask(port, "/_stcore/health").status == 200
    finally:
        signal.signal(signal.SIGHUP, before)


def test_a_missing_app_extra_gets_one_sentence(rlvitals, tmp_path: Path) -> None:
    (tmp_path / "sitecustomize.py").write_text("import sys\nsys.modules['streamlit'] = None\n")
    refused = rlvitals("ui", ".", PYTHONPATH=str(tmp_path))
    assert refused.returncode == 2
    assert "this needs streamlit, which " in refused.stderr
    assert "run: pip install 'rlvitals[app]'" in refused.stderr


def test_nobody_opens_it_to_the_network_without_a_token(rlvitals, tmp_path: Path) -> None:
    refused = rlvitals("ui", ".", "--host", "0.0.0.0", "--no-token")

    assert refused.returncode == 2
    assert "--no-token on --host 0.0.0.0 lets everybody who reaches this machine run code as you" in refused.stderr


def test_a_token_that_is_too_short_is_refused(rlvitals, tmp_path: Path) -> None:
    refused = rlvitals("ui", ".", RLVITALS_TOKEN="short")

    assert refused.returncode == 2
    assert "RLVITALS_TOKEN holds no token: it takes 16 or more" in refused.stderr
