"""Keeps foreign web pages out of a service that trusts whoever reaches it on loopback.

A page that points its own name at 127.0.0.1 (DNS rebinding) is told apart by the Host header; a page that posts to us
from elsewhere, by the Origin header, which browsers always send with such requests and pages cannot forge.
"""

from urllib.parse import urlsplit

from starlette.datastructures import Headers
from starlette.responses import Response
from starlette.types import ASGIApp, Receive, Scope, Send

from phylon.backend.kit.errors import ErrorRead

LOOPBACK_NAMES = frozenset({"localhost", "127.0.0.1", "::1"})
_SAFE_METHODS = frozenset({"GET", "HEAD", "OPTIONS"})


class BrowserGuard:
    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        refusal = self._refusal(scope) if scope["type"] == "http" else None
        await (self._app if refusal is None else refusal)(scope, receive, send)

    def _refusal(self, scope: Scope) -> Response | None:
        headers = Headers(scope=scope)
        host, origin = headers.get("host", ""), headers.get("origin")
        if _hostname(host) not in LOOPBACK_NAMES:
            return _answer(
                400,
                f"This service does not answer to the name '{host}'.",
                "Open it as http://127.0.0.1 or http://localhost; a proxy must set the Host header so.",
            )
        if scope["method"] not in _SAFE_METHODS and origin is not None and urlsplit(origin).netloc != host:
            return _answer(
                403,
                f"A page of {origin} may not change anything here.",
                "Use the page that this service itself serves.",
            )
        return None


def _hostname(host: str) -> str | None:
    try:
        return urlsplit(f"//{host}").hostname
    except ValueError:
        return None


def _answer(status: int, detail: str, remedy: str) -> Response:
    body = ErrorRead(detail=detail, remedy=remedy, problems=[])
    return Response(body.model_dump_json(), status, media_type="application/json")
