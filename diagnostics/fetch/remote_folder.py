"""A folder in a bucket or on another machine: its logs are copied here and updated as they grow.

fsspec resolves the addresses: s3://, gs://, az://, hf://, https://, sftp://, hdfs:// and more, some of which need a
package of their own.
"""

import importlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any

from diagnostics.fetch.error import FetchError
from diagnostics.foreign_files import read_span
from diagnostics.foreign_files.documents import read_json
from diagnostics.language import _

MANIFEST = ".rlvitals-import.json"
WEIGHTS = frozenset({".safetensors", ".bin", ".pt", ".pth", ".ckpt", ".gguf", ".onnx", ".h5", ".distcp", ".npz"})
APPENDED = (".jsonl", ".csv", ".log", ".txt", ".wandb")
EVENTS = ".tfevents."  # in the name of a TensorBoard file
TAIL = 4096  # bytes that must match before a grown log is continued from there
CHUNK = 8 * 2**20  # bytes per request
_VERSIONS = ("ETag", "etag", "LastModified", "last_modified", "mtime", "updated", "modified")


@dataclass(frozen=True, slots=True)
class RemoteCopy:
    """What one update transferred: local files, new or changed files, their bytes, and skipped weight files."""

    files: int
    changed: int
    bytes: int
    left_out: int


def copy(address: str, folder: Path) -> RemoteCopy:
    """Copy the logs below an address into a new or empty folder, or update an earlier copy.

    Only a grown log's new bytes are transferred. Weights are skipped. Files that vanished remotely are kept. Raises
    FetchError.
    """
    known = _recorded_states(address, folder)
    try:
        there = _Place.at(address)
        files = dict(there.files())
    except Exception as error:  # every fsspec file system raises its own errors
        raise FetchError(_error_sentence(address, error)) from error
    if not files:
        raise FetchError(_("{address} holds no file; check the address").format(address=address))
    logs = {name: file for name, file in files.items() if PurePosixPath(name).suffix not in WEIGHTS}
    targets = {name: _target(folder, name) for name in logs}
    stale = [
        name for name, file in logs.items() if known.get(name) != file.state or not file.matches_size_of(targets[name])
    ]
    total = 0
    folder.mkdir(parents=True, exist_ok=True)
    _record_states(address, folder, known)
    try:
        for name in stale:
            total += there.download(logs[name], targets[name])
            known[name] = logs[name].state
    except Exception as error:
        raise FetchError(_error_sentence(address, error)) from error
    finally:
        _record_states(address, folder, known)
    return RemoteCopy(len(logs), len(stale), total, len(files) - len(logs))


@dataclass(frozen=True, slots=True)
class _File:
    path: str
    size: int
    version: str

    @property
    def state(self) -> list[Any]:
        return [self.size, self.version]

    def matches_size_of(self, target: Path) -> bool:
        """Whether the local copy has the same length."""
        return target.exists() and target.stat().st_size == self.size


@dataclass(frozen=True, slots=True)
class _Place:
    """A folder, or a single file, on an fsspec file system."""

    system: Any
    root: str

    @classmethod
    def at(cls, address: str) -> "_Place":
        system, root = importlib.import_module("fsspec.core").url_to_fs(address)
        system.invalidate_cache()
        return cls(system, root.rstrip("/"))

    def files(self) -> Iterator[tuple[str, _File]]:
        """Each file by its path below the root."""
        for path, found in self.system.find(self.root, detail=True).items():
            info = found if found.get("size") is not None else self.system.info(path)
            name = path.removeprefix(self.root).lstrip("/") or PurePosixPath(path).name
            version = next((str(info[key]) for key in _VERSIONS if info.get(key) is not None), "")
            yield name, _File(path, int(info["size"] or 0), version)

    def download(self, file: _File, target: Path) -> int:
        """Update `target` to the file's content; returns how many bytes were requested."""
        target.parent.mkdir(parents=True, exist_ok=True)
        held = target.stat().st_size if target.exists() else 0
        if 0 < held < file.size and _is_appended(target.name) and self._goes_on(file, target, held):
            return self._write(file, target, "ab", held)
        unfinished = target.with_name(f"{target.name}.part")
        count = self._write(file, unfinished, "wb", 0)
        unfinished.replace(target)
        return count

    def _goes_on(self, file: _File, target: Path, held: int) -> bool:
        start = max(0, held - TAIL)
        return bool(read_span(target, start, held) == self.system.cat_file(file.path, start=start, end=held))

    def _write(self, file: _File, target: Path, mode: str, first: int) -> int:
        with target.open(mode) as local:
            for start in range(first, file.size, CHUNK):
                local.write(self.system.cat_file(file.path, start=start, end=min(start + CHUNK, file.size)))
        return file.size - first


def _is_appended(name: str) -> bool:
    return EVENTS in name or name.endswith(APPENDED)


def _target(folder: Path, name: str) -> Path:
    parts = PurePosixPath(name).parts
    if not parts or PurePosixPath(name).is_absolute() or ".." in parts or "\0" in name:
        sentence = _("a file there is called {name}, which would lie outside {folder}; rename it there")
        raise FetchError(sentence.format(name=repr(name), folder=folder))
    return folder.joinpath(*parts)


def _recorded_states(address: str, folder: Path) -> dict[str, list[Any]]:
    """Each file's state when it was last copied; empty for a new folder. Raises FetchError."""
    if not folder.exists():
        return {}
    if not folder.is_dir():
        raise FetchError(_("--to {folder} is a file; name a new folder").format(folder=folder))
    held = sorted(path.name for path in folder.iterdir())
    if held and MANIFEST not in held:
        sentence = _("--to {folder} holds something else already ({found}); name a new or an empty folder")
        raise FetchError(sentence.format(folder=folder, found=held[0]))
    if not held:
        return {}
    try:
        manifest: Mapping[str, Any] = read_json(folder / MANIFEST)
        before, files = manifest["address"], dict(manifest["files"])
    except (ValueError, KeyError, TypeError):
        raise FetchError(_("{file} is damaged; name a new folder").format(file=folder / MANIFEST)) from None
    if before != address:
        sentence = _("--to {folder} holds a copy of {address}; name a new folder")
        raise FetchError(sentence.format(folder=folder, address=before))
    return files


def _record_states(address: str, folder: Path, files: Mapping[str, list[Any]]) -> None:
    unfinished = folder / f"{MANIFEST}.part"
    unfinished.write_text(json.dumps({"address": address, "files": files}), encoding="utf-8")
    unfinished.replace(folder / MANIFEST)


def _error_sentence(address: str, error: Exception) -> str:
    if isinstance(error, FetchError):
        return str(error)
    reason = " ".join(str(error).split())[:300] or type(error).__name__
    if isinstance(error, ImportError):
        sentence = _(
            "{address} needs a package that is not here ({reason}); install it beside rlvitals[remote], and try again"
        )
        return sentence.format(address=address, reason=reason)
    if isinstance(error, FileNotFoundError):
        return _("there is nothing at {address}; check the address").format(address=address)
    sentence = _("{address} could not be read ({error}: {reason}); check the address and your access to it")
    return sentence.format(address=address, error=type(error).__name__, reason=reason)
