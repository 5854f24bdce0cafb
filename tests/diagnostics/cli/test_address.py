"""Tests of the dashboard's address: what is printed, and which names it answers to."""

import socket
from argparse import ArgumentTypeError

import pytest

from diagnostics.cli.address import Address, base_path, host_name


@pytest.mark.parametrize(
    ("address", "token", "url"),
    [
        (Address("127.0.0.1", 8501), "abc", "http://127.0.0.1:8501/?token=abc"),
        (Address("127.0.0.1", 8501), None, "http://127.0.0.1:8501"),
        (Address("::1", 8501, "/team/rl"), "abc", "http://[::1]:8501/team/rl/?token=abc"),
        (Address("0.0.0.0", 80), "abc", "http://127.0.0.1:80/?token=abc"),
    ],
)
def test_the_address_is_what_a_browser_opens(address: Address, token: str | None, url: str) -> None:
    assert url == address.url(token)


@pytest.mark.parametrize(
    ("host", "expected"),
    [("127.0.0.1", True), ("localhost", True), ("::1", True), ("0.0.0.0", False), ("::", False), ("10.0.0.5", False)],
)
def test_only_the_loopback_is_out_of_reach_of_the_network(host: str, expected: bool) -> None:
    assert Address(host, 1).is_loopback is expected


def test_it_answers_to_the_name_it_is_served_on_and_to_those_allowed() -> None:
    assert Address("10.0.0.5", 1).names(["Runs.Example.org.", "FD00:0::1"]) == [
        "10.0.0.5",
        "runs.example.org",
        "fd00::1",
    ]


def test_served_everywhere_it_answers_to_the_names_of_this_machine() -> None:
    names = Address("0.0.0.0", 1).names([])

    assert socket.gethostname().lower() in names
    assert "127.0.0.1" in names
    assert "0.0.0.0" not in names


@pytest.mark.parametrize("text", ["http://a", "a:80", "a/b", "*", "a b", "", ".a", "a,b"])
def test_an_allowed_host_is_a_name_alone(text: str) -> None:
    with pytest.raises(ArgumentTypeError, match="give the name alone"):
        host_name(text)


@pytest.mark.parametrize(("text", "path"), [("", ""), ("/", ""), ("rl", "/rl"), ("/team/rl/", "/team/rl")])
def test_a_base_path_is_read_with_and_without_slashes(text: str, path: str) -> None:
    assert path == base_path(text)


@pytest.mark.parametrize("text", ["/a//b", "/a b", "/../x", "/a?b", "http://a"])
def test_what_is_no_path_is_refused(text: str) -> None:
    with pytest.raises(ArgumentTypeError, match="is no path of an address"):
        base_path(text)
