"""The ASGI middleware in front of the page: carries out the policy, on HTTP and on WebSockets."""

from starlette.datastructures import MutableHeaders
from starlette.requests import HTTPConnection
from starlette.responses import HTMLResponse, PlainTextResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from app.access.policy import Allowed, Policy, Refused, SignedIn, TokenNeeded
from app.access.sign_in import CONTENT_SECURITY_POLICY, sign_in_page
from app.asked_language import wanted_language
from diagnostics.language import language

_COOKIE_SECONDS = 30 * 24 * 60 * 60
_HEADERS = {
    "Referrer-Policy": "same-origin",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Content-Security-Policy": "frame-ancestors 'none'",
    "Cross-Origin-Resource-Policy": "same-origin",
}


class AccessMiddleware:
    """Passes on what the policy allows, and answers everything else itself."""

    def __init__(self, app: ASGIApp, policy: Policy) -> None:
        self._app, self._policy = app, policy

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request, or one WebSocket."""
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        protected = _with_headers(send)
        match self._policy.decide(HTTPConnection(scope)):
            case Allowed():
                await self._app(scope, receive, protected)
            case SignedIn() as signed_in:
                await self._redirect(signed_in, scope)(scope, receive, protected)
            case Refused(sentence):
                await PlainTextResponse(f"{sentence}\n", 403)(scope, receive, protected)
            case TokenNeeded() as needed:
                with language(wanted_language(HTTPConnection(scope))):
                    answer = _ask_for_token(needed)
                await answer(scope, receive, protected)

    def _redirect(self, signed_in: SignedIn, scope: Scope) -> Response:
        response = RedirectResponse(signed_in.location, 303, {"Cache-Control": "no-store"})
        response.set_cookie(
            signed_in.cookie,
            signed_in.value,
            max_age=_COOKIE_SECONDS,
            path=self._policy.base_path or "/",
            secure=scope["scheme"] == "https",
            httponly=True,
            samesite="strict",
        )
        return response


def _ask_for_token(needed: TokenNeeded) -> Response:
    headers = {
        "Cache-Control": "no-store",
        "Content-Security-Policy": CONTENT_SECURITY_POLICY,
        "WWW-Authenticate": "Bearer",
    }
    return HTMLResponse(sign_in_page(needed), 401, headers)


def _with_headers(send: Send) -> Send:
    """Add what keeps other sites from framing, embedding or sniffing an answer."""

    async def send_with_headers(message: Message) -> None:
        if message["type"] in ("http.response.start", "websocket.http.response.start"):
            headers = MutableHeaders(scope=message)
            for name, value in _HEADERS.items():
                headers.setdefault(name, value)
        await send(message)

    return send_with_headers
