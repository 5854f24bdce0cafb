"""Where the dashboard is served: the address to print, the names it answers to, and the tunnel to it."""

import getpass
import ipaddress
import os
import re
import socket
from argparse import ArgumentTypeError
from collections.abc import Sequence
from dataclasses import dataclass

import psutil

from diagnostics.language import _

_WILDCARDS = {"0.0.0.0": "127.0.0.1", "::": "::1", "": "127.0.0.1"}
_NAME = re.compile(r"[A-Za-z0-9_]([A-Za-z0-9_.-]*[A-Za-z0-9_])?")
_BASE_PATH = re.compile(r"(/[A-Za-z0-9_~-][A-Za-z0-9._~-]*)*")


@dataclass(frozen=True, slots=True)
class Address:
    """The host that is bound, a port, and the path in front of every page: empty, or with a slash at its start."""

    host: str
    port: int
    base_path: str = ""

    @property
    def local(self) -> str:
        """The host by which this machine reaches the dashboard."""
        return _WILDCARDS.get(self.host, self.host)

    @property
    def is_loopback(self) -> bool:
        """Whether nothing outside this machine reaches it."""
        if self.is_wildcard:
            return False
        try:
            return ipaddress.ip_address(self.host).is_loopback
        except ValueError:
            return self.host == "localhost"

    @property
    def is_wildcard(self) -> bool:
        """Whether it is served on every address of this machine."""
        return self.host in _WILDCARDS

    def url(self, token: str | None = None, host: str | None = None) -> str:
        """What to open in a browser."""
        name = host or self.local
        authority = f"[{name}]:{self.port}" if ":" in name else f"{name}:{self.port}"
        query = f"/?token={token}" if token else ""
        return f"http://{authority}{self.base_path}{query}"

    def tunnel(self) -> str:
        """The command that brings the page to the machine from which somebody is logged in here; empty without SSH."""
        connection = os.environ.get("SSH_CONNECTION", "").split()
        if len(connection) != 4:
            return ""
        server, server_port = connection[2:]
        entry = "" if server_port == "22" else f"-p {server_port} "
        return f"ssh {entry}-L {self.port}:127.0.0.1:{self.port} {getpass.getuser()}@{server}"

    def names(self, allowed: Sequence[str]) -> list[str]:
        """The names, beside those of the loopback, that a request may call it by."""
        own = [socket.gethostname(), *_interfaces()] if self.is_wildcard else [self.host]
        return list(dict.fromkeys(_plain(name) for name in (*own, *allowed)))


def host_name(text: str) -> str:
    """A name for --allow-host: a host, without scheme, port or path."""
    if not (_NAME.fullmatch(text) or _is_ip_address(text)):
        sentence = _("{text} is no host name; give the name alone, such as gpu-box.example.org")
        raise ArgumentTypeError(sentence.format(text=repr(text)))
    return text


def base_path(text: str) -> str:
    """A path for --base-path, with a slash at its start and none at its end; empty for the root."""
    path = "/" + text.strip("/") if text.strip("/") else ""
    if not _BASE_PATH.fullmatch(path):
        sentence = _("{text} is no path of an address; give one such as /team/rlvitals")
        raise ArgumentTypeError(sentence.format(text=repr(text)))
    return path


def _plain(name: str) -> str:
    """A name as browsers write it: in lower case, an IPv6 address in its short form, without a zone."""
    name = name.partition("%")[0]
    return str(ipaddress.ip_address(name)) if _is_ip_address(name) else name.lower().rstrip(".")


def _is_ip_address(text: str) -> bool:
    try:
        ipaddress.ip_address(text)
    except ValueError:
        return False
    return True


def _interfaces() -> list[str]:
    """The addresses of this machine."""
    families = (socket.AF_INET, socket.AF_INET6)
    return [item.address for items in psutil.net_if_addrs().values() for item in items if item.family in families]
