"""The policy of the page: decides on a request by its host, its origin and the token that it carries.

The host is checked because another site can let a name of its own resolve to this machine; the origin, because a
browser opens a WebSocket to any host for any page; the token, because other users and programs of this machine need no
browser.
"""

import hmac
import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Self
from urllib.parse import parse_qsl, quote, urlencode

from starlette.requests import HTTPConnection

from app.access.authority import Authority
from diagnostics.language import N_

TOKEN = "token"
_HEALTH = "/_stcore/health"  # says "ok" and nothing else
_UPLOADS = "/_stcore/upload_file/"
_TOKEN_VARIABLE, _NO_TOKEN_VARIABLE, _HOSTS_VARIABLE = "RLVITALS_TOKEN", "RLVITALS_NO_TOKEN", "RLVITALS_ALLOWED_HOSTS"
_READ_ONLY_VARIABLE = "RLVITALS_READ_ONLY"

Parameters = tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Allowed:
    """The request goes on to the page."""


@dataclass(frozen=True, slots=True)
class Refused:
    """The request ends here, whatever token it carries."""

    sentence: str


@dataclass(frozen=True, slots=True)
class TokenNeeded:
    """The request ends here for want of the token; `parameters` are the others of the address that was asked for."""

    sentence: str
    parameters: Parameters
    came_by_link: bool


@dataclass(frozen=True, slots=True)
class SignedIn:
    """The token stood in the address: a cookie takes its place, and the browser goes on to `location` without it."""

    location: str
    cookie: str
    value: str


Decision = Allowed | Refused | TokenNeeded | SignedIn


@dataclass(frozen=True, slots=True)
class Policy:
    """Whom the page lets in; `token` is None where it asks for none, `base_path` is empty or begins with a slash.

    `takes_files`: whether files may be sent to it.
    """

    token: str | None
    hosts: frozenset[str] = frozenset()
    base_path: str = ""
    takes_files: bool = True

    @classmethod
    def from_environment(cls, environment: Mapping[str, str], base_path: str) -> Self:
        """The policy that `rlvitals` passes to the page's process.

        Raises RuntimeError where there is no token and nothing says that none is wanted: a page that was started past
        the command must not be open by accident.
        """
        token = environment.get(_TOKEN_VARIABLE) or None
        if token is None and environment.get(_NO_TOKEN_VARIABLE) != "1":
            raise RuntimeError(f"the page needs {_TOKEN_VARIABLE}, or {_NO_TOKEN_VARIABLE}=1; start it with `rlvitals`")
        path = "".join(f"/{part}" for part in base_path.split("/") if part)
        hosts = frozenset(environment.get(_HOSTS_VARIABLE, "").split())
        return cls(token, hosts, path, takes_files=environment.get(_READ_ONLY_VARIABLE) != "1")

    def decide(self, connection: HTTPConnection) -> Decision:
        """Decide on a request, or on the handshake of a WebSocket."""
        named = _only(connection, "host") or ""
        host = Authority.parse(named)
        if host is None:
            return Refused(f"The request's Host header names no host: {named!r}.")
        if not (host.is_loopback or host.name in self.hosts):
            return Refused(f"This dashboard does not answer to {host.name}. To allow it: --allow-host {host.name}")
        carries_token = self._carries_token(connection, host)
        if refused := _wrong_origin(connection, host, carries_token=carries_token):
            return refused
        if not self.takes_files and _UPLOADS in connection.scope["path"]:
            return Refused("This dashboard is read-only and takes no files.")
        if self.token is None or connection.scope["path"] == self.base_path + _HEALTH:
            return Allowed()
        if connection.scope["type"] == "http" and self._is_token(connection.query_params.get(TOKEN)):
            return SignedIn(_without_token(connection), self._cookie(host), self._cookie_value(host))
        return Allowed() if carries_token else _token_needed(connection)

    def _carries_token(self, connection: HTTPConnection, host: Authority) -> bool:
        scheme, _, credentials = connection.headers.get("authorization", "").partition(" ")
        return (
            self._is_token(connection.query_params.get(TOKEN))
            or (scheme.lower() == "bearer" and self._is_token(credentials))
            or self._is_cookie(connection.cookies.get(self._cookie(host)), host)
        )

    def _is_token(self, text: str | None) -> bool:
        return self.token is not None and _are_equal(text, self.token)

    def _is_cookie(self, text: str | None, host: Authority) -> bool:
        return self.token is not None and _are_equal(text, self._cookie_value(host))

    def _cookie(self, host: Authority) -> str:
        """A name for each port and base path, so that dashboards on one host do not sign each other out."""
        port = () if host.port is None else (str(host.port),)
        return "-".join(("rlvitals", *port, *filter(None, self.base_path.split("/"))))

    def _cookie_value(self, host: Authority) -> str:
        """Derived from the token, which it does not give away: browsers send a cookie to every port of its host."""
        return hmac.digest((self.token or "").encode(), self._cookie(host).encode(), "sha256").hex()


def _only(connection: HTTPConnection, header: str) -> str | None:
    values = connection.headers.getlist(header)
    return values[0] if len(values) == 1 else None


def _are_equal(text: str | None, secret: str) -> bool:
    return text is not None and secrets.compare_digest(text.encode(), secret.encode())


def _wrong_origin(connection: HTTPConnection, host: Authority, *, carries_token: bool) -> Refused | None:
    """Refuse what pages of other origins ask for; browsers name the origin of every WebSocket."""
    origin = _only(connection, "origin")
    if origin is None:
        is_unknown = connection.scope["type"] == "websocket" and not carries_token
        return Refused("A WebSocket without an Origin header must carry the token.") if is_unknown else None
    if host.is_origin(origin):
        return None
    return Refused(
        f"A page of {origin} asked, which is not this dashboard. If a proxy stands between, it must pass on "
        "the Host header that the browser sent."
    )


def _token_needed(connection: HTTPConnection) -> TokenNeeded:
    is_wrong = TOKEN in connection.query_params
    return TokenNeeded(
        N_("This is not the dashboard’s token") if is_wrong else N_("This dashboard opens with a token"),
        _parameters(connection),
        connection.headers.get("sec-fetch-site") == "cross-site",
    )


def _without_token(connection: HTTPConnection) -> str:
    """The address that was asked for, relative to itself: a proxy may serve it under a path unknown here."""
    page = quote(connection.scope["path"].rsplit("/", 1)[-1])
    parameters = urlencode(_parameters(connection))
    return f"./{page}?{parameters}" if parameters else f"./{page}"


def _parameters(connection: HTTPConnection) -> Parameters:
    query = connection.scope["query_string"].decode("latin-1")
    return tuple((name, value) for name, value in parse_qsl(query, keep_blank_values=True) if name != TOKEN)
