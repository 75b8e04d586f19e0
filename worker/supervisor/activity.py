"""What the worker is doing, and how much time it has left once it was asked to leave."""

import time


class Activity:
    """Plain attributes: a signal handler calls `leave`, and may take no lock."""

    def __init__(self, grace_seconds: float) -> None:
        """`grace_seconds` after it was asked to leave, every job is given back."""
        self._grace_seconds = grace_seconds
        self._leaving_since: float | None = None
        self.jobs: list[int] = []
        """Those that are being executed, each in a thread of its own; a gang may have several here."""

    def leave(self) -> None:
        if self._leaving_since is None:
            self._leaving_since = time.monotonic()

    @property
    def is_leaving(self) -> bool:
        return self._leaving_since is not None

    def seconds_until(self, share: float) -> float:
        """Until this share of the grace has passed; without end while nobody asked the worker to leave."""
        if self._leaving_since is None:
            return float("inf")
        return self._leaving_since + share * self._grace_seconds - time.monotonic()
