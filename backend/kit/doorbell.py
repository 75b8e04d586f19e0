"""Notifies watchers in all API processes that there is something new to read. Redis carries the ring and nothing else.

A lost ring is harmless: watchers also look by themselves every few seconds. So nothing here ever raises or waits long.
"""

import asyncio
import time
from collections import defaultdict
from collections.abc import Generator, Iterable
from contextlib import contextmanager, suppress
from typing import Any, cast

import redis
import redis.asyncio
import structlog
from redis.exceptions import RedisError

from phylon.redis_url import client_url

log: structlog.stdlib.BoundLogger = structlog.get_logger(__name__)

CHANNEL = "phylon.doorbell"

_TIMEOUT_SECONDS = 0.5
_REST_SECONDS = 2.0
"""After a failure nobody tries again for so long: a request must not wait for a Redis that is away."""


class Bell:
    """What was rung since its owner last asked."""

    def __init__(self) -> None:
        self._rung: set[str] = set()
        self._event = asyncio.Event()

    def sound(self, topic: str) -> None:
        self._rung.add(topic)
        self._event.set()

    async def wait(self, seconds: float) -> set[str]:
        """The topics that were rung; none when nothing was for so long."""
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self._event.wait()
        self._event.clear()
        rung, self._rung = self._rung, set()
        return rung


class Doorbell:
    def __init__(self, redis_url: str) -> None:
        self._url = client_url(redis_url)
        self._client = cast(Any, redis.Redis).from_url(
            self._url, socket_timeout=_TIMEOUT_SECONDS, socket_connect_timeout=_TIMEOUT_SECONDS
        )
        self._resting_until = 0.0
        self._watchers: dict[str, set[Bell]] = defaultdict(set)

    def ring(self, topic: str) -> None:
        """From any thread. A topic is `job 3`."""
        if time.monotonic() < self._resting_until:
            return
        try:
            self._client.publish(CHANNEL, topic)
        except (RedisError, OSError):
            self._resting_until = time.monotonic() + _REST_SECONDS

    def reachable(self) -> bool:
        try:
            return bool(self._client.ping())
        except (RedisError, OSError):
            return False

    @contextmanager
    def watch(self, topics: Iterable[str]) -> Generator["Bell"]:
        """A bell of the running loop that each ring of one of these sounds."""
        bell, watched = Bell(), set(topics)
        for topic in watched:
            self._watchers[topic].add(bell)
        try:
            yield bell
        finally:
            for topic in watched:
                self._watchers[topic].discard(bell)
                if not self._watchers[topic]:
                    del self._watchers[topic]

    async def listen(self) -> None:
        """Runs in the API's event loop until it is cancelled; one connection serves all watchers."""
        while True:
            client = cast(Any, redis.asyncio.Redis).from_url(self._url, socket_connect_timeout=_TIMEOUT_SECONDS)
            try:
                async with client.pubsub(ignore_subscribe_messages=True) as subscription:
                    await subscription.subscribe(CHANNEL)
                    async for message in subscription.listen():
                        self._wake(message["data"])
            except (RedisError, OSError):
                log.debug("doorbell_silent")
            finally:
                await client.aclose()
            await asyncio.sleep(_REST_SECONDS)

    def _wake(self, data: bytes) -> None:
        topic = data.decode(errors="replace")
        for bell in self._watchers.get(topic, ()):
            bell.sound(topic)

    def close(self) -> None:
        self._client.close()
