"""The W&B cloud: fetches one run with W&B's own client into a folder that `readers.wandb.cloud_export` reads."""

import importlib
import json
import os
import re
import shutil
import socket
import urllib.parse
import urllib.request
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from diagnostics.foreign_files.documents import read_json
from diagnostics.language import _
from diagnostics.readers.wandb.cloud_export import CONSOLE, FILES, HISTORY, MANIFEST, SCHEMA_VERSION, SYSTEM
from diagnostics.remote.error import FetchError

SECONDS_TO_CONNECT = 10.0
SECONDS_TO_ANSWER = 60
SYSTEM_SAMPLES = 10_000  # W&B provides system metrics only as a sample
PROGRESS_ROWS = 10_000
TABLES = frozenset({"table-file", "incremental-table-file"})
_ADDRESS = re.compile(
    r"(?:wandb://|https?://[^/]+/)(?P<entity>[^/]+)/(?P<project>[^/]+)/(?:runs/)?(?P<run>[^/?#]+)(?:[?#].*)?"
)
_PAGE = re.compile(r"https?://[^/]+/[^/]+/[^/]+/runs/.+")
_BESIDE = ("requirements.txt", "output.log")

Row = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Address:
    """The address of a run on W&B."""

    entity: str
    project: str
    run: str

    @classmethod
    def of(cls, text: str) -> "Address":
        """Parse `wandb://ENTITY/PROJECT/RUN` or the URL of the run's page. Raises FetchError."""
        match = _ADDRESS.fullmatch(text)
        if match is None:
            sentence = _("{text} is no run of W&B; write wandb://ENTITY/PROJECT/RUN, with the run's id")
            raise FetchError(sentence.format(text=repr(text)))
        return cls(**match.groupdict())

    @staticmethod
    def is_one(text: str) -> bool:
        """Whether the text is meant as a W&B run rather than another address."""
        return text.startswith("wandb:") or "://" not in text or _PAGE.fullmatch(text) is not None

    def __str__(self) -> str:
        return f"{self.entity}/{self.project}/{self.run}"


@dataclass(frozen=True, slots=True)
class Fetched:
    """What was fetched: history rows, sample tables and other files, and files that W&B did not provide."""

    rows: int
    files: int
    missing: tuple[str, ...]


def fetch(address: Address, folder: Path, report_progress: Callable[[str], None] = lambda text: None) -> Fetched:
    """Fetch a run into a new or empty folder, or once more into the folder that it was fetched into.

    The manifest is written last, so a folder without one is no run yet. `report_progress` gets a sentence now and then.
    Raises FetchError.
    """
    _check_folder(address, folder)
    wandb = _client()
    try:
        run = wandb.Api(timeout=SECONDS_TO_ANSWER).run(str(address))
        return _write_run(address, run, folder, report_progress)
    except (wandb.Error, ValueError) as error:
        raise FetchError(_error_sentence(address, str(error))) from error


def _write_run(address: Address, run: Any, folder: Path, report_progress: Callable[[str], None]) -> Fetched:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / MANIFEST).unlink(missing_ok=True)
    names: dict[str, None] = dict.fromkeys(_BESIDE)
    rows = _write_rows(folder / HISTORY, _noting_tables(run.scan_history(), names), report_progress)
    _write_rows(folder / SYSTEM, run.history(samples=SYSTEM_SAMPLES, pandas=False, stream="system"), report_progress)
    missing = [name for name in names if not _downloaded(run, name, folder)]
    manifest = json.dumps(_manifest(address, run), indent=1, default=str)
    (folder / MANIFEST).write_text(manifest + "\n", encoding="utf-8")
    return Fetched(rows, len(names) - len(missing), tuple(name for name in missing if name not in _BESIDE))


def _manifest(address: Address, run: Any) -> Row:
    return {
        "schema_version": SCHEMA_VERSION,
        "address": f"wandb://{address}",
        "run_id": run.id,
        "name": run.name,
        "state": run.state,
        "created": run.created_at,
        "last_written": getattr(run, "heartbeatAt", None),
        "config": dict(run.config),
        "summary": {name: value for name, value in run.summary.items() if not name.startswith("_")},
    }


def _noting_tables(rows: Iterable[Row], names: dict[str, None]) -> Iterator[Row]:
    """The rows, unchanged; adds the files of their tables to `names`."""
    for row in rows:
        for value in row.values():
            if isinstance(value, Mapping) and value.get("_type") in TABLES and isinstance(value.get("path"), str):
                names[value["path"]] = None
        yield row


def _write_rows(file: Path, rows: Iterable[Row], report_progress: Callable[[str], None]) -> int:
    """Write one line per row, with NaN and infinities as the constants that Python reads."""
    count = 0
    with file.open("w", encoding="utf-8") as lines:
        for count, row in enumerate(rows, start=1):
            lines.write(json.dumps(row) + "\n")
            if count % PROGRESS_ROWS == 0:
                report_progress(_("{file}: {count} rows").format(file=file.name, count=f"{count:,}"))
    return count


def _downloaded(run: Any, name: str, folder: Path) -> bool:
    """Download one of the run's files; False if W&B has none with that name."""
    wandb = importlib.import_module("wandb")
    root = folder if name == CONSOLE else folder / FILES
    try:
        run.file(name).download(root=str(root), replace=True).close()
    except (wandb.Error, ValueError, LookupError, OSError):
        return False
    return True


def _check_folder(address: Address, folder: Path) -> None:
    if not folder.exists():
        return
    if not folder.is_dir():
        raise FetchError(_("--to {folder} is a file; name a new folder").format(folder=folder))
    held = {path.name for path in folder.iterdir()}
    if not held:
        return
    if MANIFEST not in held:
        found = sorted(held)[0]
        sentence = _("--to {folder} holds something else already ({found}); name a new or an empty folder")
        raise FetchError(sentence.format(folder=folder, found=found))
    before = read_json(folder / MANIFEST).get("address")
    if before != f"wandb://{address}":
        sentence = _("--to {folder} holds another run, {address}; name a new folder")
        raise FetchError(sentence.format(folder=folder, address=before))
    shutil.rmtree(folder / FILES, ignore_errors=True)


def _client() -> Any:
    """W&B's library, after checking that its server can be reached: the client itself would retry for minutes."""
    try:
        wandb = importlib.import_module("wandb")
    except ImportError as error:
        raise FetchError(
            _("fetching from W&B needs its client, which is not installed; run: pip install 'rlvitals[wandb]'")
        ) from error
    server = urllib.parse.urlsplit(os.environ.get("WANDB_BASE_URL") or wandb.setup().settings.base_url)
    port = server.port or (443 if server.scheme == "https" else 80)
    if urllib.request.getproxies().get(server.scheme):
        return wandb  # only the proxy knows whether it can reach the server
    try:
        socket.create_connection((server.hostname or "", port), SECONDS_TO_CONNECT).close()
    except OSError as error:
        sentence = _(
            "W&B's server {server} cannot be reached from here ({error}); try again with a connection, or copy the "
            "run's local folder (wandb/run-…) and open that"
        )
        raise FetchError(sentence.format(server=server.hostname, error=error.strerror or error)) from error
    return wandb


def _error_sentence(address: Address, reason: str) -> str:
    lowered = reason.lower()
    if "api key" in lowered or "api_key" in lowered or "login" in lowered or "401" in lowered:
        sentence = _("W&B knows no key of yours ({reason}); run 'wandb login', or set WANDB_API_KEY")
        return sentence.format(reason=_line(reason))
    if "not find" in lowered or "not found" in lowered:
        sentence = _("W&B shows you no run {run}; check entity, project and the run's id (not its name) in its address")
        return sentence.format(run=address)
    return _("W&B did not hand out {run}: {reason}").format(run=address, reason=_line(reason))


def _line(text: str) -> str:
    return " ".join(text.split())[:300]
