"""Keeps foreign web pages out of a service that trusts everyone who reaches it on loopback.

A page that points its own name at 127.0.0.1 (DNS rebinding) is recognised by the Host header; a page that posts to us
from elsewhere, by the Origin header, which browsers always send with such requests and pages cannot forge.
"""

from urllib.parse import urlsplit

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Receive, Scope, Send

from phylon.backend.kit.errors import PlatformError

LOOPBACK_NAMES = frozenset({"localhost", "127.0.0.1", "::1"})
_SAFE_METHODS = frozenset({"GET", "HEAD", "OPTIONS"})


class HostUnknown(PlatformError):
    """The service was addressed by a name that is not its own."""

    status_code = 400


class OriginForeign(PlatformError):
    """A page of another site may not change anything here."""

    status_code = 403


class BrowserGuard:
    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        refusal = self._refusal(scope) if scope["type"] == "http" else None
        await (self._app if refusal is None else refusal.response())(scope, receive, send)

    def _refusal(self, scope: Scope) -> PlatformError | None:
        headers = Headers(scope=scope)
        host, origin = headers.get("host", ""), headers.get("origin")
        if _hostname(host) not in LOOPBACK_NAMES:
            return HostUnknown(
                f"This service does not answer to the name '{host}'.",
                "Open it as http://127.0.0.1 or http://localhost; a proxy must set the Host header so.",
            )
        if scope["method"] not in _SAFE_METHODS and origin is not None and urlsplit(origin).netloc != host:
            return OriginForeign(
                f"A page of {origin} may not change anything here.",
                "Use the page that this service itself serves.",
            )
        return None


def _hostname(host: str) -> str | None:
    try:
        return urlsplit(f"//{host}").hostname
    except ValueError:
        return None
