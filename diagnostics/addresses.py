"""Addresses of logs that lie elsewhere, and the folder of the user's cache that holds the copy of each.

What lies at s3://bucket/runs/a is copied to `rlvitals/remote/s3/bucket/runs/a` in that cache: a path tells its address,
and one address shares its copy with those below it. Where a bucket of the same name may lie on several servers, the
copies of each are apart.
"""

import hashlib
import importlib
import json
import os
import re
from collections.abc import Mapping
from pathlib import Path

from diagnostics.language import _

_ADDRESS = re.compile(r"(?P<scheme>[a-z][a-z0-9+.-]+)://(?P<host>[^/]*)/?(?P<path>.*)", re.DOTALL)
_COLLAPSED = re.compile(r"([a-z][a-z0-9+.-]+):/(?=[^/])")  # what pathlib makes of an address
_FETCHED_WHOLE = frozenset({"wandb"})  # by `rlvitals import` alone
_WEB = frozenset({"http", "https"})
_NO_HOST = "_"
_SERVER, _COLON = "@", "%3A"  # a colon stands between paths
_LONGEST_NAME = 200  # bytes of a file's name: the copy's own has some more
_SERVERS: Mapping[str, tuple[str, ...]] = {
    "s3": ("AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL", "AWS_PROFILE"),
    "gs": ("STORAGE_EMULATOR_HOST",),
    "hf": ("HF_ENDPOINT",),
}
"""The variables by which the same address leads to another server."""


class AddressError(ValueError):
    """An address cannot be used; the message says why and what to write. It repeats no secret."""


def is_address(text: str) -> bool:
    """Whether a text is the address of logs that lie elsewhere, such as s3://bucket/runs, rather than a path."""
    match = _ADDRESS.fullmatch(text)
    return match is not None and match["scheme"] not in _FETCHED_WHOLE


def local_path(path: str | Path) -> Path:
    """The path itself or, for an address, the folder of its copy, which need not exist. Raises AddressError."""
    text = str(path)
    if isinstance(path, Path) and _COLLAPSED.match(text) and not path.exists():
        text = _COLLAPSED.sub(r"\1://", text, count=1)
    return folder_of(text) if is_address(text) else Path(path)


def folder_of(address: str) -> Path:
    """The folder of the copy of what lies at an address. Raises AddressError."""
    match = _ADDRESS.fullmatch(address)
    if match is None:
        raise AddressError(_("{text} is no address such as s3://bucket/runs").format(text=repr(address)))
    scheme, host, path = match["scheme"], match["host"], match["path"]
    check_no_secret(address)
    parts = path.rstrip("/").split("/") if path.strip("/") else []
    if not all(map(is_file_name, parts)) or not (host or parts) or host in (".", ".."):
        sentence = _("{address} holds a part that no folder can be named by; give the address of a folder above it")
        raise AddressError(sentence.format(address=address))
    return cache_folder().joinpath(scheme + _server(scheme), host.replace(":", _COLON) or _NO_HOST, *parts)


def check_no_secret(address: str) -> None:
    """Raise AddressError where an address holds a password or a key: an address is shown."""
    match = _ADDRESS.fullmatch(address)
    if match and (":" in match["host"].rpartition("@")[0] or (match["scheme"] in _WEB and "?" in match["path"])):
        sentence = _(
            "an address of {scheme}:// with a password or a key in it is not taken, since addresses are shown; put it "
            "where the client of {scheme} looks for it, or into fsspec's own settings (~/.config/fsspec)"
        )
        raise AddressError(sentence.format(scheme=match["scheme"]))


def is_file_name(part: str) -> bool:
    """Whether one part of a path elsewhere can be the name of a file here."""
    size = len(part.encode(errors="surrogateescape"))
    return part not in ("", ".", "..") and "\0" not in part and "/" not in part and size <= _LONGEST_NAME


def address_of(path: str | Path) -> str | None:
    """The address whose copy a path is, or lies in; None for any other path."""
    root, text = str(cache_folder()) + os.sep, str(path)
    if not text.startswith(root):
        return None
    scheme, _sign, rest = text.removeprefix(root).partition(os.sep)
    host, sign, below = rest.partition(os.sep)
    if not host:
        return None
    return f"{scheme.partition(_SERVER)[0]}://{'' if host == _NO_HOST else host.replace(_COLON, ':')}{sign}{below}"


def shown(path: str | Path) -> str:
    """A path as its user knows it: by its address, where it is the copy of what lies there."""
    return address_of(path) or str(path)


def cache_folder() -> Path:
    """The folder of all copies; `XDG_CACHE_HOME` moves it."""
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache").absolute() / "rlvitals" / "remote"


def _server(scheme: str) -> str:
    """Empty for the server that an address of this scheme leads to by itself."""
    named = [os.environ.get(name, "") for name in _SERVERS.get(scheme, ())]
    named.append(_configured_server(scheme))
    if not any(named):
        return ""
    return _SERVER + hashlib.blake2b(json.dumps(named).encode(), digest_size=4).hexdigest()


def _configured_server(scheme: str) -> str:
    """The server that fsspec's own settings name."""
    try:
        settings = importlib.import_module("fsspec.config").conf.get(scheme, {})
    except ImportError:  # without fsspec nothing is copied
        return ""
    inner = settings.get("client_kwargs", {})
    return str(settings.get("endpoint_url") or (inner.get("endpoint_url") if isinstance(inner, dict) else "") or "")
