"""Keeps foreign web pages out.

Without accounts the service trusts everyone who reaches it on loopback. A page that points its own name at 127.0.0.1
(DNS rebinding) is recognised by the Host header; a page that posts to us from elsewhere, by the Origin header, which
browsers always send with such requests and pages cannot forge.

With accounts the public address takes the place of both: what a browser sends to change something must come from a page
of that address. A request that brings a token is no browser's own doing, so nobody can be lured into sending it.
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


class BodyNotJson(PlatformError):
    """Browsers change things with JSON alone, which no form of another site can send."""

    status_code = 415


class BrowserGuard:
    def __init__(self, app: ASGIApp, public_url: str | None = None) -> None:
        self._app, self._public_url = app, public_url

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        refusal = self._refusal(scope) if scope["type"] == "http" else None
        await (self._app if refusal is None else refusal.response())(scope, receive, send)

    def _refusal(self, scope: Scope) -> PlatformError | None:
        headers = Headers(scope=scope)
        if self._public_url is not None:
            return _of_public(scope["method"], headers, self._public_url)
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


def _of_public(method: str, headers: Headers, public_url: str) -> PlatformError | None:
    if method in _SAFE_METHODS or headers.get("authorization", "").lower().startswith("bearer "):
        return None
    site, origin = headers.get("sec-fetch-site"), headers.get("origin")
    if "cookie" not in headers and site is None and origin is None:
        return None  # no browser
    if site in ("cross-site", "same-site") or origin is None or origin.lower() != public_url:
        return OriginForeign(
            f"A page of {origin or 'an unnamed origin'} may not change anything here.",
            f"Use the page at {public_url}; if that is not where people reach this service, correct --public-url.",
        )
    has_body = headers.get("content-length", "0") != "0" or "transfer-encoding" in headers
    if has_body and headers.get("content-type", "").partition(";")[0].strip().lower() != "application/json":
        return BodyNotJson("The body is not JSON.", "Send it as application/json.")
    return None


def _hostname(host: str) -> str | None:
    try:
        return urlsplit(f"//{host}").hostname
    except ValueError:
        return None
