"""A folder in a bucket or on another machine: its logs are copied here and updated as they grow.

fsspec resolves the addresses: s3://, gs://, az://, hf://, https://, sftp://, hdfs:// and more, some of which need a
package of their own.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any

from diagnostics.addresses import check_no_secret
from diagnostics.foreign_files import read_span
from diagnostics.foreign_files.documents import read_json
from diagnostics.language import _
from diagnostics.remote.error import FetchError
from diagnostics.remote.place import Place, RemoteFile, Span, is_appended, is_weights, why
from diagnostics.told import said

MANIFEST = ".rlvitals-import.json"
TAIL = 4096  # bytes that must match before a grown log is continued from there
CHUNK = 8 * 2**20  # bytes per request


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
        check_no_secret(address)
        there = Place.at(address)
        files = {name or PurePosixPath(address).name: file for name, file in there.files().items()}
    except Exception as error:  # every fsspec file system raises its own errors
        raise FetchError(said(why(address, error))) from error
    if not files:
        raise FetchError(_("{address} holds no file; check the address").format(address=address))
    logs = {name: file for name, file in files.items() if not is_weights(name)}
    targets = {name: _target(folder, name) for name in logs}
    stale = [
        name for name, file in logs.items() if known.get(name) != _state(file) or not _has_size_of(file, targets[name])
    ]
    total = 0
    folder.mkdir(parents=True, exist_ok=True)
    _record_states(address, folder, known)
    try:
        for name in stale:
            total += _download(there, logs[name], targets[name])
            known[name] = _state(logs[name])
    except Exception as error:
        raise FetchError(said(why(address, error))) from error
    finally:
        _record_states(address, folder, known)
    return RemoteCopy(len(logs), len(stale), total, len(files) - len(logs))


def _state(file: RemoteFile) -> list[Any]:
    return [file.size, file.version]


def _has_size_of(file: RemoteFile, target: Path) -> bool:
    return target.exists() and target.stat().st_size == file.size


def _download(there: Place, file: RemoteFile, target: Path) -> int:
    """Update `target` to the file's content; returns how many bytes were requested."""
    target.parent.mkdir(parents=True, exist_ok=True)
    held = target.stat().st_size if target.exists() else 0
    if 0 < held < file.size and is_appended(target.name) and _goes_on(there, file, target, held):
        return _write(there, file, target, "ab", held)
    unfinished = target.with_name(f"{target.name}.part")
    count = _write(there, file, unfinished, "wb", 0)
    unfinished.replace(target)
    return count


def _goes_on(there: Place, file: RemoteFile, target: Path, held: int) -> bool:
    start = max(0, held - TAIL)
    return bool(read_span(target, start, held) == there.read_one(Span(file.path, start, held)))


def _write(there: Place, file: RemoteFile, target: Path, mode: str, first: int) -> int:
    with target.open(mode) as local:
        for start in range(first, file.size, CHUNK):
            local.write(there.read_one(Span(file.path, start, min(start + CHUNK, file.size))))
    return file.size - first


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
