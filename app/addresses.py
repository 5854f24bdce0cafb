"""The addresses of the dashboard: the document that each page loads, and the way home from one that is no page."""

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import streamlit
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.routing import BaseRoute, Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from app.asked_language import LANGUAGE, PREFERENCE, chosen_for_good, wanted_language
from app.assets import asset
from app.streamlit_words import words_of_streamlit
from diagnostics.language import language, language_tag

PAGES = ("run", "compare", "launch", "learn")
"""The pages beside the list of runs, which is the home of the dashboard."""

UNKNOWN = "unknown"
"""The parameter of the home page's address that holds the address at which there is no page."""

_HOME, _LIST = "", "runs"
_ICON = "icon.svg"
_MOST_LETTERS = 100  # of an unknown address that are repeated
_YEAR = 365 * 24 * 60 * 60  # seconds
_FRESH = {"Cache-Control": "no-cache"}
_TITLE, _OWN_TITLE = "<title>Streamlit</title>", "<title>rlvitals</title>"
_LINK, _OWN_LINK = 'rel="shortcut icon" href="./favicon.png"', f'rel="icon" type="image/svg+xml" href="./{_ICON}"'
_HEAD = "<head>"
_TAGGED = '<html lang="en"'
# Without this the browser looks for the server below each page's own address first, and complains that it is not there.
_SERVER = '<script>window.__streamlit = { BACKEND_BASE_URL: new URL(".", window.location.href).href }</script>'


def icon_routes(base_path: str) -> list[BaseRoute]:
    """The route of the icon in the browser's tab."""
    return [Route(f"{base_path}/{_ICON}", _icon)]


async def _icon(_request: Request) -> Response:
    return Response(asset("images/icon.svg"), media_type="image/svg+xml", headers=_FRESH)


class PageAddresses:
    """Serves the document of each page, and leads home from an address at which Streamlit would serve it too."""

    def __init__(self, app: ASGIApp, base_path: str) -> None:
        self._app, self._base_path = app, base_path

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request; all but those for a document go on."""
        is_get = scope["type"] == "http" and scope["method"] in ("GET", "HEAD")
        if not is_get or not scope["path"].startswith(f"{self._base_path}/"):
            await self._app(scope, receive, send)
            return
        page = str(scope["path"]).removeprefix(f"{self._base_path}/")
        if page in (_HOME, *PAGES):
            request = Request(scope)
            document = _document(wanted_language(request))
            answer = self._switched(page, request) or HTMLResponse(document, headers=_FRESH)
            await answer(scope, receive, send)
        elif page == _LIST:
            await RedirectResponse(_home(page, _query(scope)), 303)(scope, receive, send)
        else:
            await _Answer(self._app, page).to(scope, receive, send)

    def _switched(self, page: str, request: Request) -> Response | None:
        """The way to the page in the language that the address chooses for good, with the cookie that keeps it."""
        chosen = chosen_for_good(request)
        if chosen is None:
            return None
        code, query = chosen
        answer = RedirectResponse(f"./{page}?{query}", 303, {"Cache-Control": "no-store"})
        path, is_secure = self._base_path or "/", request.url.scheme == "https"
        answer.set_cookie(PREFERENCE, code, _YEAR, path=path, secure=is_secure, httponly=True, samesite="lax")
        return answer


class _Answer:
    """What the app answers to an address that is no page; a document is replaced by the way home."""

    def __init__(self, app: ASGIApp, page: str) -> None:
        self._app, self._page = app, page
        self._is_document = False

    async def to(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def pass_on(message: Message) -> None:
            if message["type"] == "http.response.start":
                self._is_document = _is_document(message)
            if not self._is_document:
                await send(message)

        await self._app(scope, receive, pass_on)
        if self._is_document:
            await RedirectResponse(_home(self._page, self._query(Request(scope))), 303)(scope, receive, send)

    def _query(self, request: Request) -> str:
        """What was asked for, and the language in which it was."""
        asked = {UNKNOWN: self._page[:_MOST_LETTERS], LANGUAGE: request.query_params.get(LANGUAGE)}
        return urlencode({name: value for name, value in asked.items() if value})


def _is_document(start: Mapping[str, Any]) -> bool:
    """Whether it is one to show: a report that is saved as a file is none."""
    headers = {name.lower(): value for name, value in start["headers"]}
    is_html = headers.get(b"content-type", b"").startswith(b"text/html")
    return start["status"] == 200 and is_html and b"content-disposition" not in headers


def _home(page: str, query: str) -> str:
    """Home, relative to a page: a proxy may serve the dashboard under a path unknown here."""
    up = "../" * page.count("/") or "./"
    return f"{up}?{query}" if query else up


def _query(scope: Scope) -> str:
    return bytes(scope["query_string"]).decode("latin-1")


@cache
def _document(code: str) -> str:
    """Streamlit's own document in this language, with our title and icon, that knows where its server is."""
    text = (Path(streamlit.__file__).parent / "static" / "index.html").read_text("utf-8")
    with language(code):
        text = text.replace(_TAGGED, f'<html lang="{language_tag()}"')
        head = f"{_HEAD}\n    {_SERVER}{words_of_streamlit()}"
    return text.replace(_TITLE, _OWN_TITLE).replace(_LINK, _OWN_LINK).replace(_HEAD, head, 1)
