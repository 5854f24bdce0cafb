"""The route of the jump: what fits the letters typed so far, as JSON."""

from collections.abc import Iterable
from dataclasses import asdict
from itertools import chain

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import BaseRoute, Route

from app import state
from app.asked_language import asked_language
from app.jump.matching import LONGEST_QUERY, MOST_HITS, best
from app.jump.targets import Target, named_exactly, pages, targets
from diagnostics.foreign_files import confine_to
from diagnostics.language import language

JUMP = "jump"
"""Relative to every page of the dashboard."""


def jump_routes(base_path: str) -> list[BaseRoute]:
    """The route below a base path that is empty or begins with a slash."""
    return [Route(f"{base_path}/{JUMP}", _jump, methods=["GET"])]


async def _jump(request: Request) -> Response:
    query = request.query_params.get("q", "")[:LONGEST_QUERY].strip()
    with language(asked_language(request)):
        hits = await run_in_threadpool(_hits, query, request.query_params.get(state.RUN))
    return JSONResponse([asdict(hit) for hit in hits], headers={"Cache-Control": "no-store"})


def _hits(query: str, run: str | None) -> list[Target]:
    """The pages for an empty query, else what fits it."""
    if not query:
        return list(pages())
    confine_to(state.folders)
    found = chain(named_exactly(query), best(query, _distinct(targets(state.boundary(), run))))
    return _distinct(found)[:MOST_HITS]


def _distinct(found: Iterable[Target]) -> list[Target]:
    """Each place once: a metric and a rule may share a page."""
    return list({(target.way, target.where): target for target in found}.values())
