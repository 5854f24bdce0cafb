"""The authority of an address: a host name and a port, as the headers Host and Origin give them."""

from dataclasses import dataclass
from ipaddress import ip_address
from typing import Self
from urllib.parse import urlsplit

_DEFAULT_PORTS = {"http": 80, "https": 443}


@dataclass(frozen=True, slots=True)
class Authority:
    """A host name in lower case, without the root's dot, and the port if one is given."""

    name: str
    port: int | None

    @classmethod
    def parse(cls, text: str) -> Self | None:
        """Read `name`, `name:port` or `[IPv6]:port`; None for anything else."""
        try:
            parts = urlsplit(f"//{text}")
            name, port = parts.hostname, parts.port
        except ValueError:
            return None
        is_whole = parts.netloc == text and "@" not in text
        return cls(name.rstrip("."), port) if name and is_whole else None

    @property
    def is_loopback(self) -> bool:
        """Whether the name means this very machine, whatever DNS says."""
        if self.name == "localhost":
            return True
        try:
            return ip_address(self.name).is_loopback
        except ValueError:
            return False

    def is_origin(self, origin: str) -> bool:
        """Whether an Origin header names this host and port; its scheme may be that of a proxy with TLS."""
        scheme, _, authority = origin.partition("://")
        other, default = self.parse(authority), _DEFAULT_PORTS.get(scheme)
        if other is None or default is None:
            return False
        return (self.name, self.port or default) == (other.name, other.port or default)
