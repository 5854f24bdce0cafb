"""The routes of the charts: the points that they ask for, and the scripts that draw them."""

import os
from collections.abc import Mapping, Sequence
from pathlib import Path

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import BaseRoute, Mount, Route
from starlette.staticfiles import StaticFiles
from starlette.types import Scope

from app import state
from app.asked_language import asked_language
from app.charts.answer import Points, points_of
from app.charts.packing import packed
from app.charts.question import MOST_BYTES, Malformed, Question, Wanted
from app.charts.seeds import band_of
from app.load.references import Reference, references
from app.load.runs import snapshot_of
from diagnostics.api import UnreadableRun
from diagnostics.boundary import OutsideFolders
from diagnostics.foreign_files import confine_to
from diagnostics.language import language
from diagnostics.model.run import Run

POINTS, REFERENCES, SCRIPTS, PLOTLY = "charts/points", "charts/references", "charts/scripts", "charts/plotly"
"""Relative to every page of the dashboard."""

_FOLDER = Path(__file__).with_name("scripts")
_FRESH = {"Cache-Control": "no-store"}


def chart_routes(base_path: str) -> list[BaseRoute]:
    """The routes below a base path that is empty or begins with a slash."""
    return [
        Route(f"{base_path}/{POINTS}", _points, methods=["POST"]),
        Route(f"{base_path}/{REFERENCES}", _references, methods=["GET"]),
        Mount(f"{base_path}/{SCRIPTS}", _Scripts(directory=_FOLDER)),
        Mount(f"{base_path}/charts/uplot", _Scripts(packages=[("uplot", "static")])),
        Mount(f"{base_path}/{PLOTLY}", _Scripts(packages=[("plotly", "package_data")])),
    ]


class _Scripts(StaticFiles):
    """Files that a browser keeps but asks for again, so that an upgrade never mixes two versions."""

    def file_response(
        self, full_path: str | os.PathLike[str], stat_result: os.stat_result, scope: Scope, status_code: int = 200
    ) -> Response:
        response = super().file_response(full_path, stat_result, scope, status_code)
        response.headers["Cache-Control"] = "no-cache"
        return response


async def _points(request: Request) -> Response:
    """Answer a chart; an error is one sentence."""
    try:
        question = Question.parse(await _body(request))
        with language(asked_language(request)):
            return await run_in_threadpool(_answer, question)
    except Malformed as error:
        return PlainTextResponse(f"{error}\n", 400)
    except OutsideFolders as error:
        return PlainTextResponse(f"{error.sentence}\n", 403)
    except UnreadableRun as error:
        return PlainTextResponse(f"{error.sentence}\n", 404)


async def _body(request: Request) -> bytes:
    body = bytearray()
    async for chunk in request.stream():
        body += chunk
        if len(body) > MOST_BYTES:
            raise Malformed(f"The question is longer than {MOST_BYTES} bytes.")
    return bytes(body)


def _answer(question: Question) -> Response:
    """The points of every curve. Raises UnreadableRun, OutsideFolders beyond the folders shown."""
    confine_to(state.folders)
    boundary = state.boundary_with_samples()
    paths = dict.fromkeys(path for wanted in question.curves for path in wanted.runs)
    snapshots = {path: snapshot_of(path, boundary) for path in paths}
    revision = ",".join(str(snapshot.revision) for snapshot in snapshots.values())
    if revision == question.revision:
        return Response(status_code=204, headers=_FRESH)
    runs = {path: snapshot.run for path, snapshot in snapshots.items()}
    curves = [_curve(runs, wanted, question) for wanted in question.curves]
    return Response(packed(curves, revision), media_type="application/octet-stream", headers=_FRESH)


def _curve(runs: Mapping[str, Run], wanted: Wanted, question: Question) -> Points:
    if wanted.others:
        return band_of([runs[path] for path in wanted.runs], wanted.series, question)
    return points_of(runs[wanted.run], wanted, question)


async def _references(request: Request) -> Response:
    """The runs that may stand behind those of `algorithm` as a reference, without `run`."""
    algorithm, shown = request.query_params.get("algorithm", ""), request.query_params.getlist("run")
    with language(asked_language(request)):
        found = await run_in_threadpool(_references_for, algorithm, shown)
    return JSONResponse([{"path": item.path, "words": item.words} for item in found], headers=_FRESH)


def _references_for(algorithm: str, shown: Sequence[str]) -> tuple[Reference, ...]:
    confine_to(state.folders)
    return references(algorithm, state.boundary_with_samples(), shown)
