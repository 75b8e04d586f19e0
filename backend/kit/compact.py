"""Answers that travel light: JSON is compressed, and not sent at all to a reader that has it (`ETag`, 304).

Only answers that are complete in one piece are touched. Event streams and downloads pass through as they are: a stream
must not wait for a compressor, and checkpoints and films are compressed already.
"""

import gzip
import hashlib

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

_LEAST_BYTES = 1000
"""Of smaller answers compression saves nothing worth its time."""
_LEVEL = 1
"""A chart of 80 members has three megabytes: at level 5 compressing them took nearly half of the time."""


class CompactAnswers:
    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        request = Headers(scope=scope)
        start: Message | None = None

        async def relay(message: Message) -> None:
            nonlocal start
            if message["type"] == "http.response.start" and _is_json(message):
                start = message  # its headers depend on the body
                return
            if start is not None:
                begun, start = start, None
                if not message.get("more_body", False):
                    message = _compact(scope["method"], request, begun, message)
                await send(begun)
            await send(message)

        await self._app(scope, receive, relay)


def _is_json(start: Message) -> bool:
    return Headers(raw=start["headers"]).get("content-type", "").startswith("application/json")


def _compact(method: str, request: Headers, start: Message, body: Message) -> Message:
    """The body to send; `start` is changed to fit it."""
    headers, content = MutableHeaders(raw=start["headers"]), body.get("body", b"")
    encoding = ""
    if len(content) >= _LEAST_BYTES:
        headers.add_vary_header("Accept-Encoding")
        if "gzip" in request.get("accept-encoding", ""):
            encoding = "gzip"
    if method == "GET" and start["status"] == 200:
        # A strong tag names the very bytes, so each encoding has its own.
        tag = f'"{hashlib.sha256(content).hexdigest()[:32]}{encoding and "-" + encoding}"'
        headers["ETag"] = tag
        if tag in [known.strip() for known in request.get("if-none-match", "").split(",")]:
            start["status"] = 304
            del headers["content-length"], headers["content-type"]
            start["headers"] = headers.raw
            return {"type": body["type"], "body": b""}
        headers.setdefault("Cache-Control", "no-cache")  # may be kept, but is to be asked for each time
    if encoding:
        content = gzip.compress(content, _LEVEL, mtime=0)
        headers["Content-Encoding"] = encoding
        headers["Content-Length"] = str(len(content))
    start["headers"] = headers.raw
    return {"type": body["type"], "body": content}
