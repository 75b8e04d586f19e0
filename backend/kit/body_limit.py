"""How much a request may send. Bytes are counted as they arrive: what a header announces proves nothing."""

import contextlib
import re
from typing import NamedTuple

from prometheus_client import Counter
from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from phylon.backend.kit.errors import PlatformError

MEGABYTE = 2**20
_MOST_DRAINED = 32 * MEGABYTE


class BodyTooLarge(PlatformError):
    """The request is larger than its route takes; nothing was stored."""

    status_code = 413

    def __init__(self, limit: int) -> None:
        super().__init__(
            f"The body of this request is larger than {limit // MEGABYTE} MB.",
            "Send less at once; a spec that long should be split into several experiments.",
        )


class BodyLimit(NamedTuple):
    path: re.Pattern[str]
    most_bytes: int | None
    """None for files, which are streamed to disk."""


LIMITS = (
    BodyLimit(re.compile(r"/api/v1/worker/jobs/\d+/artifacts/"), None),
    BodyLimit(re.compile(r"/api/v1/worker/jobs/\d+/heartbeat$"), 16 * MEGABYTE),
    BodyLimit(re.compile(r"/api/v1/(lineage/|studies/upload$)"), 16 * MEGABYTE),
    BodyLimit(re.compile(r"/api/v1/imports$"), 64 * MEGABYTE),
    BodyLimit(re.compile("/"), MEGABYTE),
)
"""The first that fits counts."""


class _Exceeded(Exception):
    """Ends the reading of a body; never seen outside of this module."""


class LimitBodies:
    def __init__(self, app: ASGIApp, refused: Counter) -> None:
        self._app, self._refused = app, refused

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        limit = _limit_of(scope["path"]) if scope["type"] == "http" else None
        if limit is None:
            await self._app(scope, receive, send)
            return
        announced = Headers(scope=scope).get("content-length", "")
        if announced.isdecimal() and int(announced) > limit:
            await self._refuse(limit, scope, receive, send)
            return
        count, has_begun = 0, False

        async def counted() -> Message:
            nonlocal count
            message = await receive()
            count += len(message.get("body", b""))
            if count > limit:
                raise _Exceeded
            return message

        async def relay(message: Message) -> None:
            nonlocal has_begun
            if count > limit and not has_begun:
                return  # what the application makes of its failed reading
            has_begun = True
            await send(message)

        with contextlib.suppress(_Exceeded):
            await self._app(scope, counted, relay)
        if count > limit and not has_begun:
            await self._refuse(limit, scope, receive, send)

    async def _refuse(self, limit: int, scope: Scope, receive: Receive, send: Send) -> None:
        self._refused.labels("body").inc()
        await _drain(receive)
        response = BodyTooLarge(limit).response()
        response.headers["Connection"] = "close"  # the rest of the body is not wanted
        await response(scope, receive, send)


async def _drain(receive: Receive) -> None:
    """Read what is still coming, within reason: a caller that is cut off while it sends never sees the answer."""
    count = 0
    while count < _MOST_DRAINED:
        message = await receive()
        count += len(message.get("body", b""))
        if not message.get("more_body", False):
            return


def _limit_of(path: str) -> int | None:
    return next(limit.most_bytes for limit in LIMITS if limit.path.match(path))
