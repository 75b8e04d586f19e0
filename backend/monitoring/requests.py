"""Measures every request by its route, and knows each by an id that the caller may choose.

The id is in every line that is logged meanwhile and in the answer, so that a user's complaint, a worker's log and ours
can be put together.
"""

import re
import secrets
import time

import structlog
from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from phylon.backend.kit import logging
from phylon.backend.monitoring.meters import Meters

log: structlog.stdlib.BoundLogger = structlog.get_logger(__name__)

HEADER = "X-Request-ID"
_SANE = re.compile(r"[A-Za-z0-9_.:-]{1,64}")
_JOB = re.compile(r"^/api/v1/worker/jobs/(\d{1,16})/")
_SAFE_METHODS = frozenset({"GET", "HEAD", "OPTIONS"})
_REGULAR = ("/heartbeat", "/beat")
"""Come every few seconds from every worker; logged only when they fail."""
_KNOWN_METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})


class RequestMonitor:
    def __init__(self, app: ASGIApp, meters: Meters) -> None:
        self._app, self._meters = app, meters

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        began, status = time.perf_counter(), 500
        request_id = choose_id(Headers(scope=scope).get(HEADER))

        async def relay(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                MutableHeaders(scope=message)[HEADER] = request_id
                self._measure(scope, status, time.perf_counter() - began)
            await send(message)

        job = _JOB.match(scope["path"])
        bound = {"request_id": request_id} | ({"job_id": int(job[1])} if job else {})
        with logging.request(**bound):
            await self._app(scope, receive, relay)
            if _is_worth_a_line(scope, status):
                seconds = round(time.perf_counter() - began, 4)
                log.info("request", method=scope["method"], path=scope["path"], status=status, seconds=seconds)

    def _measure(self, scope: Scope, status: int, seconds: float) -> None:
        """A path that no route has is not a label: anyone could make up as many as memory holds."""
        route = getattr(scope.get("route"), "path", "other")
        method = scope["method"] if scope["method"] in _KNOWN_METHODS else "other"
        self._meters.requests.labels(method, route, str(status)).observe(seconds)
        if status >= 500:
            self._meters.errors.labels("request").inc()


def choose_id(given: str | None) -> str:
    return given if given and _SANE.fullmatch(given) else secrets.token_hex(8)


def _is_worth_a_line(scope: Scope, status: int) -> bool:
    return status >= 400 or (scope["method"] not in _SAFE_METHODS and not scope["path"].endswith(_REGULAR))
