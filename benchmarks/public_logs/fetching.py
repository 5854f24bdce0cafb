"""Brings public logs from their repositories: one commit of each, and of it the files that are missing."""

import subprocess
import sys
import tempfile
from collections import defaultdict
from collections.abc import Iterable, Sequence
from pathlib import Path

from benchmarks.public_logs.table import PublicLog

HOST = "https://github.com"
SECONDS = 600


def fetch_missing(folder: Path, logs: Iterable[PublicLog], host: str = HOST) -> list[PublicLog]:
    """Fetch what `folder` lacks, a commit at a time; gives back what could not be had, and says why on stderr."""
    wanted: dict[tuple[str, str], list[PublicLog]] = defaultdict(list)
    for log in logs:
        if not (folder / log.place).exists():
            wanted[log.repository, log.commit].append(log)
    return [log for (repository, _), group in wanted.items() for log in _fetch(folder, f"{host}/{repository}", group)]


def _fetch(folder: Path, url: str, group: Sequence[PublicLog]) -> list[PublicLog]:
    with tempfile.TemporaryDirectory() as clone:
        try:
            _git(clone, "init", "--quiet")
            _git(clone, "remote", "add", "origin", url)
            _git(clone, "fetch", "--quiet", "--depth=1", "--filter=blob:none", "origin", group[0].commit)
        except (subprocess.CalledProcessError, subprocess.TimeoutExpired) as error:
            _complain(f"{url} at {group[0].commit}", error)
            return list(group)
        return [log for log in group if not _take(clone, log, folder / log.place)]


def _take(clone: str, log: PublicLog, to: Path) -> bool:
    try:
        content = _git(clone, "show", f"{log.commit}:{log.path}")
    except (subprocess.CalledProcessError, subprocess.TimeoutExpired) as error:
        _complain(f"{log.path} of {log.repository}", error)
        return False
    to.parent.mkdir(parents=True, exist_ok=True)
    to.write_bytes(content)
    return True


def _git(clone: str, *arguments: str) -> bytes:
    command = ["git", "-C", clone, *arguments]
    return subprocess.run(command, check=True, capture_output=True, timeout=SECONDS).stdout


def _complain(what: str, error: subprocess.CalledProcessError | subprocess.TimeoutExpired) -> None:
    reason = (error.stderr or b"").decode("utf-8", "replace").strip() or str(error)
    sys.stderr.write(f"{what} cannot be had: {reason}\n")
