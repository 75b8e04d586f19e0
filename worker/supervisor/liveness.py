"""Finds out that the Celery consumer has stalled, and restarts the worker.

Celery reconnects by itself when Redis closes the connection. A connection that dies without a word (a firewall forgot
it, the other machine lost its power) can leave the consumer waiting for ever. The sign is the same whatever the cause:
a message lies in our queue although this worker has nothing to do.
"""

import logging
import os
import sys
import tempfile
import time
from pathlib import Path
from urllib.parse import quote

import redis

from phylon.redis_url import client_url

PATIENCE_SECONDS = 90.0
"""More than the longest pause of Celery's own reconnecting."""

log = logging.getLogger(__name__)


class StalledConsumerDetector:
    """Asks Redis over a new connection each time, so the asker does not share the fate of the asked."""

    def __init__(self, redis_url: str, queue: str, patience_seconds: float = PATIENCE_SECONDS) -> None:
        self._redis_url, self._queue, self._patience = client_url(redis_url), queue, patience_seconds
        self._suspicious_since: float | None = None

    def is_stalled(self, is_busy: bool) -> bool:
        """Call it regularly; true when messages were left lying by an idle worker for longer than patience allows."""
        if is_busy or not self._messages_wait():
            self._suspicious_since = None
            return False
        if self._suspicious_since is None:
            self._suspicious_since = time.monotonic()
        return time.monotonic() - self._suspicious_since > self._patience

    def _messages_wait(self) -> bool:
        try:
            with redis.from_url(self._redis_url, socket_timeout=5.0, socket_connect_timeout=5.0) as connection:
                return connection.llen(self._queue) > 0
        except redis.RedisError:
            return False  # no Redis, no messages: Celery is reconnecting


def restart_worker(why: str) -> None:
    """Replaces this process by a fresh one with the same arguments. Only an idle worker may do so."""
    log.error("%s: restarting this worker", why)
    os.execv(sys.executable, sys.orig_argv)


def alive_file(worker_name: str) -> Path:
    """Touched after every beat that the service heard; `health` looks at its age."""
    return Path(tempfile.gettempdir()) / f"phylon-{os.getuid()}-{quote(worker_name, safe='')}.alive"
