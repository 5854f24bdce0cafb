"""The routes of the charts: the points that they ask for, and the scripts that draw them."""

import os
from pathlib import Path

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import BaseRoute, Mount, Route
from starlette.staticfiles import StaticFiles
from starlette.types import Scope

from app import state
from app.charts.answer import points_of
from app.charts.packing import packed
from app.charts.question import MOST_BYTES, Malformed, Question
from app.load.runs import snapshot_of
from diagnostics.api import UnreadableRun
from diagnostics.boundary import Boundary, OutsideFolders
from diagnostics.foreign_files import confine_to
from diagnostics.model.run import Run
from diagnostics.runlog.parent import SAMPLE_RUNS

POINTS, SCRIPTS = "charts/points", "charts/scripts"
"""Relative to every page of the dashboard."""

_FOLDER = Path(__file__).with_name("scripts")


def chart_routes(base_path: str) -> list[BaseRoute]:
    """The routes below a base path that is empty or begins with a slash."""
    return [
        Route(f"{base_path}/{POINTS}", _points, methods=["POST"]),
        Mount(f"{base_path}/{SCRIPTS}", _Scripts(directory=_FOLDER)),
        Mount(f"{base_path}/charts/uplot", _Scripts(packages=[("uplot", "static")])),
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
    boundary = Boundary.around((*state.folders(), SAMPLE_RUNS))  # which the Learn page shows wherever it is opened
    runs: dict[str, Run] = {
        path: snapshot_of(path, boundary).run for path in dict.fromkeys(wanted.run for wanted in question.curves)
    }
    curves = [points_of(runs[wanted.run], wanted, question) for wanted in question.curves]
    return Response(packed(curves), media_type="application/octet-stream", headers={"Cache-Control": "no-store"})
