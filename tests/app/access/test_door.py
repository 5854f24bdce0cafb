"""Tests of the door: real requests and WebSocket handshakes against a real dashboard."""

import stat
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import psutil
import pytest

from diagnostics.cli.access_token import token_file
from tests.dashboard import STREAM, ask, dashboard, free_port, handshake, printed_address

pytestmark = pytest.mark.process

EAGER = {"STREAMLIT_SERVER_ENABLE_AGENT_API": "true"}
ELSEWHERE = [("evil.example", "evil.example"), ("192.168.0.7", "192.168.0.7"), ("localhost", "evil.example")]


@dataclass(frozen=True, slots=True)
class Door:
    """A dashboard that asks for its token."""

    port: int
    token: str
    arguments: str

    @property
    def host(self) -> str:
        return f"127.0.0.1:{self.port}"

    def cookie(self) -> str:
        """The Cookie header of a browser that has opened the printed address."""
        set_cookie = ask(self.port, f"/?token={self.token}").headers["Set-Cookie"]
        return str(set_cookie).partition(";")[0]


@pytest.fixture(scope="module")
def door(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Door]:
    folder = tmp_path_factory.mktemp("runs")
    with dashboard(folder, "ui", ".", "--port", str(free_port()), **EAGER) as process:
        printed = printed_address(process)
        (server,) = psutil.Process(process.pid).children()
        assert printed.port is not None
        yield Door(printed.port, printed.query.removeprefix("token="), " ".join(server.cmdline()))


def test_no_page_of_another_name_or_port_reaches_the_websocket_or_a_page(door: Door) -> None:
    cookie = door.cookie()
    for name, origin in (*ELSEWHERE, ("127.0.0.1", "127.0.0.1:9999"), ("127.0.0.1", "localhost:9999")):
        host = f"{name}:{door.port}"
        source = f"http://{origin}" if ":" in origin else f"http://{origin}:{door.port}"

        assert handshake(door.port, host, source, cookie) == 403
        assert ask(door.port, "/", Host=host, Origin=source, Cookie=cookie).status == 403


def test_without_the_token_there_is_a_page_that_asks_for_it_and_no_websocket(door: Door) -> None:
    answer = ask(door.port, "/run?run=secret-name")

    assert answer.status == 401
    assert "paste the token" in answer.body
    assert door.token not in answer.body
    assert handshake(door.port, door.host, f"http://{door.host}") == 401
    assert handshake(door.port, door.host, None) == 403
    assert ask(door.port, "/_stcore/host-config").status == 401


def test_a_wrong_token_opens_nothing(door: Door) -> None:
    answer = ask(door.port, "/?token=wrong")

    assert answer.status == 401
    assert answer.headers["Set-Cookie"] is None
    assert "not the dashboard’s token" in answer.body


def test_the_token_becomes_a_cookie_that_scripts_and_other_sites_cannot_use(door: Door) -> None:
    answer = ask(door.port, f"/run?run=a&token={door.token}")

    assert answer.status == 303
    assert answer.headers["Location"] == "./run?run=a"
    attributes = answer.headers["Set-Cookie"].split("; ")
    assert {"HttpOnly", "SameSite=strict", "Path=/"} <= set(attributes)
    assert attributes[0].startswith(f"rlvitals-{door.port}=")
    assert door.token not in attributes[0]
    assert "Secure" in ask(door.port, f"/?token={door.token}", **{"X-Forwarded-Proto": "https"}).headers["Set-Cookie"]


def test_with_the_cookie_page_and_websocket_open_also_through_the_port_of_a_tunnel(door: Door) -> None:
    assert ask(door.port, "/", Cookie=door.cookie()).status == 200
    assert handshake(door.port, door.host, f"http://{door.host}", door.cookie()) == 101
    through_tunnel = ask(door.port, f"/?token={door.token}", Host="localhost:9000").headers["Set-Cookie"]
    cookie = through_tunnel.partition(";")[0]
    assert handshake(door.port, "localhost:9000", "http://localhost:9000", cookie) == 101
    assert handshake(door.port, "localhost:9000", "http://localhost:9001", cookie) == 403


def test_no_other_site_may_frame_or_read_a_page(door: Door) -> None:
    for answer in (ask(door.port, "/"), ask(door.port, "/", Cookie=door.cookie())):
        assert answer.headers["X-Frame-Options"] == "DENY"
        assert "frame-ancestors 'none'" in answer.headers["Content-Security-Policy"]
        assert answer.headers["Referrer-Policy"] == "same-origin"
        assert answer.headers["X-Content-Type-Options"] == "nosniff"


def test_the_token_stands_in_a_file_of_mode_600_and_in_no_argument(door: Door) -> None:
    assert door.token == token_file().read_text().strip()
    assert stat.S_IMODE(token_file().stat().st_mode) == 0o600
    assert door.token not in door.arguments


def test_streamlits_agent_interface_is_off_whatever_the_environment_says(door: Door) -> None:
    answer = ask(door.port, "/_stcore/agent/interact", "POST", Authorization=f"Bearer {door.token}")

    assert '"code":"not_available"' in answer.body.replace(" ", "")


def test_a_restart_keeps_the_token_and_a_base_path_goes_before_every_page(door: Door, tmp_path: Path) -> None:
    with dashboard(tmp_path, "--port", str(free_port()), "--base-path", "team/rl") as process:
        printed = printed_address(process)

        assert (printed.path, printed.query) == ("/team/rl/", f"token={door.token}")
        assert printed.port is not None
        signed_in = ask(printed.port, f"/team/rl/?{printed.query}").headers["Set-Cookie"]
        assert "Path=/team/rl" in signed_in.split("; ")
        cookie = signed_in.partition(";")[0]
        host = f"127.0.0.1:{printed.port}"
        assert ask(printed.port, "/team/rl/", Cookie=cookie).status == 200
        assert handshake(printed.port, host, f"http://{host}", cookie, f"/team/rl{STREAM}") == 101


def test_without_a_token_every_user_is_named_and_other_origins_stay_out(tmp_path: Path) -> None:
    with dashboard(tmp_path, "--port", str(free_port()), "--no-token") as process:
        port = printed_address(process).port
        assert port is not None

        assert ask(port, "/").status == 200
        assert handshake(port, f"127.0.0.1:{port}", f"http://127.0.0.1:{port}") == 101
        assert handshake(port, f"evil.example:{port}", f"http://evil.example:{port}") == 403
        assert handshake(port, f"127.0.0.1:{port}", "http://localhost:9999") == 403
        assert handshake(port, f"127.0.0.1:{port}", None) == 403
        assert process.stderr is not None
        assert "every user and every process of this machine can start trainings" in process.stderr.readline()


def test_for_the_network_it_says_what_it_exposes(tmp_path: Path) -> None:
    with dashboard(tmp_path, "--host", "0.0.0.0", "--port", str(free_port())) as process:
        port = printed_address(process).port
        assert process.stderr is not None
        sentence = process.stderr.readline()

        assert "whoever has this address can start trainings, and so run code as you" in sentence
        assert "nothing is encrypted" in sentence
        assert port is not None
        assert ask(port, "/").status == 401
        assert ask(port, "/", Host=f"evil.example:{port}").status == 403


def test_read_only_may_stand_open_to_the_network(tmp_path: Path) -> None:
    words = ("--host", "0.0.0.0", "--port", str(free_port()), "--no-token", "--read-only")
    with dashboard(tmp_path, *words) as process:
        port = printed_address(process).port
        assert port is not None
        assert ask(port, "/").status == 200
