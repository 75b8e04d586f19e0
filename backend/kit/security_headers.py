"""Headers by which a browser keeps our pages to themselves: nothing of another site runs in them or frames them."""

from starlette.datastructures import MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

_HEADERS = {
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=(), payment=(), usb=()",
    "Cross-Origin-Opener-Policy": "same-origin",
}
_ONE_YEAR = 31_536_000


def content_policy(nonce: str | None = None) -> str:
    """What a page may load. `nonce` lets the page's own scripts add style sheets, as its editor and dialogs do."""
    styles = "'self'" if nonce is None else f"'self' 'nonce-{nonce}'"
    return (
        f"default-src 'none'; script-src 'self'; style-src {styles}; connect-src 'self'; img-src 'self' data: blob:; "
        "media-src 'self' blob:; font-src 'self' data:; worker-src 'self'; base-uri 'none'; object-src 'none'; "
        "form-action 'self'; frame-ancestors 'none'"
    )


class SecurityHeaders:
    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return

        async def relay(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in _HEADERS.items():
                    headers[name] = value
                headers.setdefault("Content-Security-Policy", content_policy())
                if scope["scheme"] == "https":
                    headers["Strict-Transport-Security"] = f"max-age={_ONE_YEAR}"
            await send(message)

        await self._app(scope, receive, relay)
