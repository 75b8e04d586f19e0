"""Gauges that are read from the database when someone asks, at most once in a few seconds."""

import threading
import time
from collections.abc import Iterable, Iterator
from datetime import datetime, timedelta

from prometheus_client.core import GaugeMetricFamily, Metric
from prometheus_client.registry import Collector
from sqlalchemy.exc import SQLAlchemyError

from phylon.backend.kit import clock
from phylon.backend.kit.database import Database
from phylon.backend.models import Worker
from phylon.backend.monitoring import repository

KEPT_SECONDS = 5.0


class DatabaseGauges(Collector):
    def __init__(self, database: Database, lease_seconds: float) -> None:
        self._database, self._lease = database, timedelta(seconds=lease_seconds)
        self._lock = threading.Lock()
        self._found: list[Metric] = []
        self._found_at = float("-inf")

    def describe(self) -> Iterable[Metric]:
        """Else registering would ask the database for the names."""
        return []

    def collect(self) -> Iterator[Metric]:
        with self._lock:
            if time.monotonic() - self._found_at > KEPT_SECONDS:
                self._found = self._look()
                self._found_at = time.monotonic()
            found = self._found
        yield from found

    def _look(self) -> list[Metric]:
        """A database that is away must not take the other figures with it: they are wanted most then."""
        up = GaugeMetricFamily("phylon_database_up", "1 when the database answered.")
        try:
            with self._database.read() as session:
                now = clock.now()
                waiting, held = repository.waiting(session), repository.held(session)
                workers = repository.workers(session, now - self._lease)
                undelivered = repository.undelivered(session)
        except SQLAlchemyError:
            up.add_metric([], 0)
            return [up]
        up.add_metric([], 1)
        outbox = GaugeMetricFamily("phylon_webhook_outbox", "Messages that are not delivered yet.", value=undelivered)
        return [up, *_queue(waiting, now), *_slots(workers, held), _oldest_lease(held, now, self._lease), outbox]


def _queue(waiting: list[repository.Waiting], now: datetime) -> list[Metric]:
    depth = GaugeMetricFamily(
        "phylon_queue_jobs", "Jobs that wait, by class and project.", labels=["priority", "project"]
    )
    oldest = GaugeMetricFamily(
        "phylon_queue_oldest_seconds", "Age of the oldest job that waits.", labels=["priority", "project"]
    )
    for group in waiting:
        depth.add_metric([group.priority, group.project], group.jobs)
        oldest.add_metric([group.priority, group.project], max(0.0, (now - group.oldest).total_seconds()))
    return [depth, oldest]


def _slots(workers: list[Worker], held: list[repository.Held]) -> list[Metric]:
    total = sum(worker.slots for worker in workers)
    alive = {worker.id for worker in workers}
    busy = sum(job.slots for job in held if job.worker_id in alive)
    states = {
        "total": total,
        "busy": busy,
        "draining": sum(worker.slots for worker in workers if worker.draining_since is not None),
        "quarantined": sum(worker.slots for worker in workers if worker.quarantined_at is not None),
    }
    slots = GaugeMetricFamily("phylon_slots", "Slots of the workers that are alive.", labels=["state"])
    for state, count in states.items():
        slots.add_metric([state], count)
    return [
        slots,
        GaugeMetricFamily("phylon_workers", "Workers that are alive.", value=len(workers)),
        GaugeMetricFamily(
            "phylon_utilisation", "Share of all slots that are busy.", value=busy / total if total else 0
        ),
    ]


def _oldest_lease(held: list[repository.Held], now: datetime, lease: timedelta) -> Metric:
    """Since the last heartbeat of the job that was silent for longest."""
    ages = [(now - job.lease_expires_at + lease).total_seconds() for job in held if job.lease_expires_at]
    return GaugeMetricFamily(
        "phylon_oldest_lease_seconds", "Longest silence of a worker that holds a job.", value=max([0.0, *ages])
    )
