"""How often a caller may do what costs us something: a token bucket for each caller and rule, in each API process.

A service on a machine of one's own has no limits: who reaches it owns it.
"""

import hashlib
import math
import re
import time
from collections import OrderedDict
from typing import NamedTuple

from prometheus_client import Counter
from starlette.datastructures import Headers
from starlette.types import ASGIApp, Receive, Scope, Send

from phylon.backend.kit.errors import PlatformError

_CALLERS_REMEMBERED = 10_000


class TooManyRequests(PlatformError):
    """The caller asks too often."""

    status_code = 429

    def __init__(self, seconds: int) -> None:
        super().__init__("Too many requests of this kind.", f"Wait {seconds} s and send it again.")


class RateLimit(NamedTuple):
    name: str
    path: re.Pattern[str]
    burst: int
    """So many at once."""
    per_minute: float
    """So many in the long run."""
    by_address: bool
    """Whether a caller is an address, whatever credential it shows; else the credential is the caller."""


LIMITS = (
    RateLimit(
        "sign-in",
        re.compile(r"/api/v1/(accounts/(first-admin|sign-in|links|password|invitations/accept)|worker/enrol)"),
        30,
        30.0,
        by_address=True,
    ),
    RateLimit("create", re.compile(r"/api/v1/(?!worker/)"), 60, 120.0, by_address=False),
)
"""Of requests that change or compute something; the first that fits counts. Workers are known and not limited."""


class _Bucket(NamedTuple):
    tokens: float
    at: float


class LimitRates:
    def __init__(self, app: ASGIApp, refused: Counter, limits: tuple[RateLimit, ...] = LIMITS) -> None:
        self._app, self._refused, self._limits = app, refused, limits
        self._buckets: OrderedDict[tuple[str, str], _Bucket] = OrderedDict()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        limit = self._limit_of(scope)
        wait = 0.0 if limit is None else self._take(limit, _caller(scope, limit), time.monotonic())
        if limit is None or wait == 0:
            await self._app(scope, receive, send)
            return
        self._refused.labels(limit.name).inc()
        seconds = math.ceil(wait)
        response = TooManyRequests(seconds).response()
        response.headers["Retry-After"] = str(seconds)
        await response(scope, receive, send)

    def _limit_of(self, scope: Scope) -> RateLimit | None:
        if scope["type"] != "http" or scope["method"] not in ("POST", "PUT", "PATCH"):
            return None
        return next((limit for limit in self._limits if limit.path.match(scope["path"])), None)

    def _take(self, limit: RateLimit, caller: str, now: float) -> float:
        """Seconds to wait; 0 when a token was there. Called in the event loop alone, so it needs no lock."""
        per_second = limit.per_minute / 60
        bucket = self._buckets.pop((limit.name, caller), _Bucket(limit.burst, now))
        tokens = min(float(limit.burst), bucket.tokens + (now - bucket.at) * per_second)
        wait = 0.0 if tokens >= 1 else (1 - tokens) / per_second
        self._buckets[limit.name, caller] = _Bucket(tokens - 1 if wait == 0 else tokens, now)
        while len(self._buckets) > _CALLERS_REMEMBERED:
            self._buckets.popitem(last=False)
        return wait


def _caller(scope: Scope, limit: RateLimit) -> str:
    headers = Headers(scope=scope)
    credential = headers.get("authorization") or headers.get("cookie")
    if credential and not limit.by_address:
        return hashlib.sha256(credential.encode()).hexdigest()
    return scope["client"][0] if scope["client"] else ""
