"""The route of the downloads: which file of which run, and the file."""

import os
import tempfile
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import BinaryIO
from urllib.parse import quote

from starlette.background import BackgroundTask
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import FileResponse, PlainTextResponse, Response, StreamingResponse
from starlette.routing import BaseRoute, Route

from app import state
from app.asked_language import asked_language, in_current_language
from app.downloads.report import REPORTS, report_of
from app.file_names import file_name_of
from app.load.runs import Snapshot, snapshot_of
from diagnostics.api import UnreadableRun
from diagnostics.boundary import OutsideFolders
from diagnostics.exports import (
    ParquetMissing,
    samples_as_lines,
    series_as_csv,
    series_as_lines,
    write_samples,
    write_series,
)
from diagnostics.foreign_files import confine_to
from diagnostics.language import _, language
from diagnostics.model.run import Run

_DOWNLOADS = "downloads"
_NO_STORE = {"Cache-Control": "no-store"}
_LONGEST_NAME = 80  # characters of a run's name in that of a file

_TEXTS: dict[str, Callable[[Run], Iterable[str]]] = {
    "series.csv": series_as_csv,
    "series.jsonl": series_as_lines,
    "samples.jsonl": samples_as_lines,
}
_TABLES: dict[str, Callable[[Run, BinaryIO], None]] = {"series.parquet": write_series, "samples.parquet": write_samples}
_TYPES = {
    "csv": "text/csv; charset=utf-8",
    "jsonl": "application/x-ndjson",
    "parquet": "application/vnd.apache.parquet",
    "html": "text/html; charset=utf-8",
    "md": "text/markdown; charset=utf-8",
    "json": "application/json",
}
FILES = (*_TEXTS, *_TABLES, *REPORTS)
"""What there is of a run."""


def download_routes(base_path: str) -> list[BaseRoute]:
    """The route below a base path that is empty or begins with a slash."""
    return [Route(f"{base_path}/{_DOWNLOADS}/{{file}}", _download, methods=["GET"])]


def download_address(file: str, run: Path) -> str:
    """The address of a file of a run in the current language, relative to every page; ASCII without a quote."""
    return in_current_language(f"{_DOWNLOADS}/{file}?{state.RUN}={quote(os.fsencode(run), safe='')}")


async def _download(request: Request) -> Response:
    """Answer with the file; an error is one sentence."""
    with language(asked_language(request)):
        return await _answer_in_language(request)


async def _answer_in_language(request: Request) -> Response:
    file, run = request.path_params["file"], request.query_params.get(state.RUN, "")
    if file not in FILES or not run:
        return PlainTextResponse(f"{_('There is no such file of a run.')}\n", 404)
    try:
        return await run_in_threadpool(_answer, file, run)
    except OutsideFolders as error:
        return PlainTextResponse(f"{error.sentence}\n", 403)
    except UnreadableRun as error:
        return PlainTextResponse(f"{error.sentence}\n", 404)
    except ParquetMissing as error:
        return PlainTextResponse(f"{error}\n", 501)


def _answer(file: str, run: str) -> Response:
    """The file. Raises UnreadableRun, OutsideFolders beyond the folders shown, ParquetMissing."""
    confine_to(state.folders)
    boundary = state.boundary_with_samples()
    snapshot = snapshot_of(run, boundary)
    headers = {**_NO_STORE, "Content-Disposition": f'attachment; filename="{_name(snapshot, file)}"'}
    kind = _TYPES[file.rpartition(".")[2]]
    if file in REPORTS:
        return Response(
            report_of(snapshot.diagnosis, REPORTS[file], boundary).encode(), headers=headers, media_type=kind
        )
    if file in _TEXTS:
        pieces = (piece.encode("utf-8", "backslashreplace") for piece in _TEXTS[file](snapshot.run))
        return StreamingResponse(pieces, headers=headers, media_type=kind)
    return _table(_TABLES[file], snapshot.run, headers, kind)


def _table(write: Callable[[Run, BinaryIO], None], run: Run, headers: dict[str, str], kind: str) -> Response:
    """A file that is written whole before it is sent, since its end tells what is in it; then removed."""
    place = _temporary()
    try:
        with place.open("wb") as file:
            write(run, file)
    except BaseException:
        place.unlink(missing_ok=True)
        raise
    return FileResponse(
        place, headers=headers, media_type=kind, background=BackgroundTask(place.unlink, missing_ok=True)
    )


def _temporary() -> Path:
    descriptor, name = tempfile.mkstemp(prefix="rlvitals-")
    os.close(descriptor)
    return Path(name)


def _name(snapshot: Snapshot, file: str) -> str:
    return f"{file_name_of(snapshot.run.name[-_LONGEST_NAME:], 'run')}-{file}"
