"""What this process counts about itself. Each service has a registry of its own, so that several can live in a test."""

import threading
from collections import OrderedDict
from collections.abc import Sequence
from typing import NamedTuple

from prometheus_client import CollectorRegistry, Counter, Histogram

from phylon.contract.protocol import JobEvent

_LATENCIES = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0)
_LAGS = (0.1, 0.5, 1.0, 2.0, 5.0, 10.0, 30.0, 60.0, 300.0, 1800.0, 7200.0)
_ATTEMPTS_REMEMBERED = 1000


class IngestLag:
    """How late events are stored.

    An event says how long its run had worked when it happened, not when that was. So the quickest event of an attempt
    is the measure: the lag of another one is by how much longer it took.
    """

    def __init__(self, seconds: Histogram) -> None:
        self._seconds = seconds
        self._quickest: OrderedDict[tuple[int, int], float] = OrderedDict()
        self._lock = threading.Lock()

    def note(self, job_id: int, attempt: int, events: Sequence[JobEvent], now: float) -> None:
        """`now` in seconds since the epoch."""
        if not events:
            return
        took = [now - event.wall for event in events]
        with self._lock:
            quickest = min(*took, self._quickest.pop((job_id, attempt), took[0]))
            self._quickest[job_id, attempt] = quickest
            while len(self._quickest) > _ATTEMPTS_REMEMBERED:
                self._quickest.popitem(last=False)
        self._seconds.observe(max(took) - quickest)


class Meters(NamedTuple):
    registry: CollectorRegistry
    requests: Histogram
    """By method, route template and status; for a stream, until it begins."""
    errors: Counter
    """By kind: answers of 500 and above, and failed ticks."""
    ticks: Histogram
    """Of the scheduler, when it was this process's turn."""
    turns_left: Counter
    """Ticks at which another process had the turn."""
    ingest_lag: IngestLag
    webhook_tries: Counter
    refused: Counter
    """Requests that were over a limit, by the limit."""


def make_meters() -> Meters:
    figures = CollectorRegistry()

    def histogram(name: str, text: str, buckets: Sequence[float], *labels: str) -> Histogram:
        return Histogram(name, text, labels, buckets=buckets, registry=figures)

    def counter(name: str, text: str, *labels: str) -> Counter:
        return Counter(name, text, labels, registry=figures)

    lag = "Oldest event of each heartbeat: how much later it was stored than the quickest event of its attempt."
    requests = "Time until an answer begins, by route template and status."
    return Meters(
        figures,
        requests=histogram("phylon_request_seconds", requests, _LATENCIES, "method", "route", "status"),
        errors=counter("phylon_errors", "Failures of the service itself.", "kind"),
        ticks=histogram("phylon_scheduler_tick_seconds", "Duration of a scheduler's tick.", _LATENCIES),
        turns_left=counter("phylon_scheduler_turns_left", "Ticks at which another API process was scheduling."),
        ingest_lag=IngestLag(histogram("phylon_ingest_lag_seconds", lag, _LAGS)),
        webhook_tries=counter("phylon_webhook_tries", "Tries to deliver a message.", "result"),
        refused=counter("phylon_refused", "Requests over a limit.", "limit"),
    )
