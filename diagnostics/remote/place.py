"""A folder, or a single file, on any file system that fsspec knows: listed and read there, never written."""

import importlib
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from email.utils import parsedate_to_datetime
from pathlib import PurePosixPath
from typing import Any, NamedTuple

from diagnostics.addresses import AddressError
from diagnostics.remote.error import FetchError
from diagnostics.told import told

WEIGHTS = frozenset({".safetensors", ".bin", ".pt", ".pth", ".ckpt", ".gguf", ".onnx", ".h5", ".distcp", ".npz"})
APPENDED = (".jsonl", ".csv", ".log", ".txt", ".out", ".wandb", ".swanlab")
EVENTS = ".tfevents."  # in the name of a TensorBoard file

SECONDS_TO_CONNECT, SECONDS_TO_ANSWER = 5.0, 20.0
_TRIES = 1  # of one request by its own client: who reads asks again anyway
_TIMES = ("LastModified", "last_modified", "Last-Modified", "mtime", "updated", "modified")
_VERSIONS = ("ETag", "etag", "blob_id", *_TIMES)
_NO_LOGS = frozenset(
    {
        *(".7z", ".arrow", ".avi", ".bz2", ".flac", ".gif", ".gz", ".jpeg", ".jpg", ".mp3", ".mp4", ".npy", ".pickle"),
        *(".pkl", ".png", ".tar", ".wav", ".webm", ".webp", ".whl", ".zip", ".zst"),
    }
)
_AFTER_QUESTION_MARK = re.compile(r"(\w+://[^\s?\"']*)\?[^\s\"']*")
_USER = re.compile(r"(\w+://)[^\s/@\"']*@")
_MOST_LETTERS = 300


@dataclass(frozen=True, slots=True)
class RemoteFile:
    """One file: its path on its file system, its bytes, a text that changes with its content, and its age.

    `modified` is in seconds since the epoch; None where the file system does not tell.
    """

    path: str
    size: int
    version: str
    modified: float | None = None


class Span(NamedTuple):
    """A part of a file from its first byte to before `end`; to the file's end, as it is then, where that is None."""

    path: str
    start: int
    end: int | None


@dataclass(frozen=True, slots=True)
class Place:
    """What lies at an address. Every method may raise whatever its file system raises."""

    system: Any
    root: str

    @classmethod
    def at(cls, address: str) -> "Place":
        """Find the file system; credentials come from the environment and fsspec's settings alone."""
        scheme = address.partition("://")[0]
        system, root = importlib.import_module("fsspec.core").url_to_fs(address, **_patience(scheme))
        return cls(system, root.rstrip("/"))

    def files(self) -> dict[str, RemoteFile]:
        """Every file by its path below the root, which is empty where the root is a file itself."""
        self.system.invalidate_cache()
        found = {}
        for path, listed in self.system.find(self.root, detail=True).items():
            info = listed if listed.get("size") is not None else self.system.info(path)
            version = next((str(info[key]) for key in _VERSIONS if info.get(key) is not None), "")
            found[path.removeprefix(self.root).lstrip("/")] = RemoteFile(
                path, int(info["size"] or 0), version, _modified(info)
            )
        return found

    def read_one(self, span: Span) -> bytes:
        """The bytes of one span."""
        return bytes(self.system.cat_file(span.path, start=span.start, end=span.end))

    def read(self, spans: Sequence[Span]) -> list[bytes | Exception]:
        """The spans' bytes, requested at once where the file system can; an error in place of those that failed."""
        paths, starts, ends = map(list, zip(*spans, strict=True))
        found: list[bytes | Exception] = self.system.cat_ranges(paths, starts, ends, on_error="return")
        return found


def is_appended(name: str) -> bool:
    """Whether a file of this name grows at its end alone."""
    return EVENTS in name or name.endswith(APPENDED)


def is_weights(name: str) -> bool:
    """Whether a file of this name holds weights."""
    return PurePosixPath(name).suffix in WEIGHTS


def is_left_out(name: str) -> bool:
    """Whether a file of this name holds nothing that is read: weights, pictures, archives, a repository's objects."""
    path = PurePosixPath(name)
    return is_weights(name) or path.suffix.lower() in _NO_LOGS or ".git" in path.parts


def why(address: str, error: Exception) -> str:
    """What was tried, what went wrong and what to do, in one sentence, without what may be secret."""
    if isinstance(error, FetchError | AddressError):
        return str(error.args[0])
    found = _without_secrets(" ".join(str(error).split()))[:_MOST_LETTERS] or type(error).__name__
    if isinstance(error, ImportError):
        return told(
            "{address} needs a package that is not here ({reason}); install it beside rlvitals[remote], and try again",
            address=address,
            reason=found,
        )
    if isinstance(error, FileNotFoundError):
        return told("there is nothing at {address}; check the address", address=address)
    return told(
        "{address} could not be read ({error}: {reason}); check the address and your access to it",
        address=address,
        error=type(error).__name__,
        reason=found,
    )


def is_final(error: Exception) -> bool:
    """Whether asking again is of no use before something is changed by hand."""
    return isinstance(error, ImportError | FileNotFoundError | PermissionError | ValueError | FetchError)


def _without_secrets(text: str) -> str:
    return _USER.sub(r"\1", _AFTER_QUESTION_MARK.sub(r"\1", text))


def _modified(info: Mapping[str, Any]) -> float | None:
    found = next((info[key] for key in _TIMES if info.get(key) is not None), None)
    try:
        if isinstance(found, str):
            moment = parsedate_to_datetime(found) if "," in found else datetime.fromisoformat(found)
            return moment.timestamp()
        return found.timestamp() if isinstance(found, datetime) else float(found) if found is not None else None
    except (TypeError, ValueError):
        return None


def _patience(scheme: str) -> dict[str, Any]:
    """Settings with which a client of this scheme gives up soon, beside those that its user made."""
    connect, answer = SECONDS_TO_CONNECT, SECONDS_TO_ANSWER
    if scheme in ("s3", "s3a"):
        own = importlib.import_module("fsspec.config").conf.get("s3", {}).get("config_kwargs", {})
        patient = {"connect_timeout": connect, "read_timeout": answer, "retries": {"total_max_attempts": _TRIES}}
        return {"config_kwargs": {**patient, **own}}
    if scheme in ("http", "https"):
        timeout = importlib.import_module("aiohttp").ClientTimeout(total=None, sock_connect=connect, sock_read=answer)
        return {"client_kwargs": {"timeout": timeout}}
    if scheme in ("sftp", "ssh"):
        return {"timeout": connect, "banner_timeout": answer, "auth_timeout": answer}
    return {}
