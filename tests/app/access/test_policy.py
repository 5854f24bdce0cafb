"""Tests of the access policy: which host, origin and token get in, without a server."""

from collections.abc import Mapping

import pytest
from starlette.requests import HTTPConnection

from app.access.policy import Allowed, Decision, Policy, Refused, SignedIn, TokenNeeded

TOKEN = "a-token-of-the-tests-that-is-long"
POLICY = Policy(TOKEN, hosts=frozenset({"gpu-box", "fd00::1"}))
OPEN = Policy(None, POLICY.hosts)
HOST = "127.0.0.1:8501"
ORIGIN = f"http://{HOST}"


def request(
    headers: Mapping[str, str] | None = None, path: str = "/", query: str = "", *, kind: str = "http"
) -> HTTPConnection:
    named = {"host": HOST} | dict(headers or {})
    pairs = [(name.encode(), value.encode()) for name, value in named.items()]
    return HTTPConnection({"type": kind, "path": path, "query_string": query.encode(), "headers": pairs})


def handshake(headers: Mapping[str, str], query: str = "") -> HTTPConnection:
    return request(headers, "/_stcore/stream", query, kind="websocket")


def signed_in(policy: Policy = POLICY, host: str = HOST) -> str:
    """The Cookie header of a browser that has opened the printed address."""
    decision = policy.decide(request({"host": host}, query=f"token={TOKEN}"))
    assert isinstance(decision, SignedIn)
    return f"{decision.cookie}={decision.value}"


def needs_token(decision: Decision) -> bool:
    return isinstance(decision, TokenNeeded)


@pytest.mark.parametrize(
    "host", ["127.0.0.1:8501", "localhost:9000", "LOCALHOST", "localhost.:80", "[::1]:8501", "127.8.9.1", "gpu-box:1"]
)
def test_a_loopback_name_with_the_port_of_any_tunnel_and_an_allowed_name_are_answered_to(host: str) -> None:
    assert needs_token(POLICY.decide(request({"host": host})))


@pytest.mark.parametrize(
    "host",
    [
        "evil.example:8501",
        "192.168.0.7:8501",
        "0.0.0.0:8501",
        "localhost.evil.example",
        "evil.example#localhost",
        "localhost@evil.example",
        "127.0.0.1:8501/x",
        "127.0.0.1:none",
        "[::1",
        "",
    ],
)
@pytest.mark.parametrize("policy", [POLICY, OPEN])
def test_another_host_is_refused_whatever_it_carries(host: str, policy: Policy) -> None:
    headers = {"host": host, "authorization": f"Bearer {TOKEN}"}

    assert isinstance(policy.decide(request(headers, query=f"token={TOKEN}")), Refused)


def test_the_refusal_of_a_host_names_the_option_that_allows_it() -> None:
    assert POLICY.decide(request({"host": "box.example:1"})) == Refused(
        "This dashboard does not answer to box.example. To allow it: --allow-host box.example"
    )


def test_two_host_headers_are_none() -> None:
    connection = request()
    connection.scope["headers"].append((b"host", b"evil.example"))

    assert isinstance(POLICY.decide(connection), Refused)


@pytest.mark.parametrize(
    ("host", "origin"),
    [
        (HOST, ORIGIN),
        ("localhost:9000", "http://localhost:9000"),
        ("gpu-box", "http://gpu-box"),
        ("gpu-box", "https://gpu-box"),  # a proxy with TLS
        ("gpu-box:443", "https://gpu-box"),
        ("[fd00::1]:8501", "http://[fd00::1]:8501"),
    ],
)
def test_a_page_of_the_same_host_and_port_is_no_stranger(host: str, origin: str) -> None:
    assert OPEN.decide(handshake({"host": host, "origin": origin})) == Allowed()


@pytest.mark.parametrize(
    "origin",
    [
        "http://evil.example:8501",
        "http://localhost:8501",
        "http://127.0.0.1:9999",
        "http://127.0.0.1",
        "http://127.0.0.1:8501/",
        "http://evil@127.0.0.1:8501",
        "file://127.0.0.1:8501",
        "null",
        "",
    ],
)
@pytest.mark.parametrize("kind", ["http", "websocket"])
@pytest.mark.parametrize("policy", [POLICY, OPEN])
def test_a_page_of_another_origin_is_refused_even_with_the_cookie(origin: str, kind: str, policy: Policy) -> None:
    headers = {"origin": origin, "cookie": signed_in()}

    assert isinstance(policy.decide(request(headers, kind=kind)), Refused)


def test_a_websocket_of_no_origin_must_carry_the_token() -> None:
    assert isinstance(OPEN.decide(handshake({})), Refused)
    assert isinstance(POLICY.decide(handshake({})), Refused)
    assert POLICY.decide(handshake({"cookie": signed_in()})) == Allowed()
    assert POLICY.decide(handshake({}, f"token={TOKEN}")) == Allowed()


def test_without_the_token_there_is_nothing_but_the_health_probe() -> None:
    for path in ("/", "/run", "/_stcore/stream", "/_stcore/health/", "/x/_stcore/health", "/static/js/index.js"):
        assert needs_token(POLICY.decide(request(path=path)))
    assert needs_token(POLICY.decide(handshake({"origin": ORIGIN})))
    assert POLICY.decide(request(path="/_stcore/health")) == Allowed()


@pytest.mark.parametrize("given", ["", "x", TOKEN[:-1], f"{TOKEN}x", TOKEN.upper(), "é"])
def test_a_wrong_token_is_none(given: str) -> None:
    decision = POLICY.decide(request({"authorization": f"Bearer {given}"}, query=f"token={given}&run=a"))

    assert decision == TokenNeeded("This is not the dashboard’s token", (("run", "a"),), came_by_link=False)


def test_the_token_becomes_a_cookie_and_leaves_the_address() -> None:
    decision = POLICY.decide(request(path="/run", query=f"run=a%26b&token={TOKEN}&step="))

    assert isinstance(decision, SignedIn)
    assert decision.location == "./run?run=a%26b&step="
    assert TOKEN not in decision.value


def test_the_way_on_never_leads_to_another_host() -> None:
    decision = POLICY.decide(request(path="//evil.example", query=f"token={TOKEN}"))

    assert isinstance(decision, SignedIn)
    assert decision.location == "./evil.example"


def test_the_cookie_and_the_authorization_of_a_proxy_open_page_and_websocket() -> None:
    for headers in ({"cookie": signed_in()}, {"authorization": f"bearer {TOKEN}"}):
        assert POLICY.decide(request(headers)) == Allowed()
        assert POLICY.decide(handshake({"origin": ORIGIN} | headers)) == Allowed()


def test_a_cookie_counts_for_its_own_port_path_and_token_alone() -> None:
    cookie = signed_in()
    value = cookie.partition("=")[2]
    for policy, host in ((POLICY, "127.0.0.1:8502"), (Policy(TOKEN, base_path="/a"), HOST), (Policy("x" * 20), HOST)):
        names = [signed_in(Policy(TOKEN, base_path=policy.base_path), host).partition("=")[0], "rlvitals"]
        for name in names:
            assert needs_token(policy.decide(request({"host": host, "cookie": f"{cookie}; {name}={value}"})))


def test_who_came_by_a_link_of_another_site_is_told_so() -> None:
    decision = POLICY.decide(request({"sec-fetch-site": "cross-site"}))

    assert isinstance(decision, TokenNeeded)
    assert decision.came_by_link


def test_a_page_started_past_the_command_is_not_open_by_accident() -> None:
    with pytest.raises(RuntimeError, match="RLVITALS_TOKEN, or RLVITALS_NO_TOKEN=1"):
        Policy.from_environment({"RLVITALS_TOKEN": ""}, "")


def test_the_environment_gives_token_hosts_and_path() -> None:
    environment = {"RLVITALS_TOKEN": TOKEN, "RLVITALS_NO_TOKEN": "1", "RLVITALS_ALLOWED_HOSTS": "a b"}

    assert Policy.from_environment(environment, "x/y/") == Policy(TOKEN, frozenset({"a", "b"}), "/x/y")
    assert Policy.from_environment({"RLVITALS_NO_TOKEN": "1"}, "") == Policy(None)


def test_a_read_only_dashboard_takes_no_file_before_it_is_read() -> None:
    environment = {"RLVITALS_TOKEN": TOKEN, "RLVITALS_READ_ONLY": "1"}
    headers = {"authorization": f"Bearer {TOKEN}"}
    for base in ("", "/team"):
        policy = Policy.from_environment(environment, base)
        assert isinstance(policy.decide(request(headers, f"{base}/_stcore/upload_file/a/b")), Refused)
        assert policy.decide(request(headers, f"{base}/run")) == Allowed()
    assert POLICY.decide(request(headers, "/_stcore/upload_file/a/b")) == Allowed()
