"""Rules about workers."""

from datetime import datetime, timedelta
from typing import cast

from sqlalchemy.orm import Session

from phylon.backend.context import Context
from phylon.backend.kit import clock
from phylon.backend.models import Worker
from phylon.backend.workers import repository
from phylon.contract.protocol import DeviceKind, WorkerRegistered, WorkerRegistration
from phylon.contract.vocabulary import WorkerState
from phylon.contract.workers import Worker as WorkerRead

BEATS_PER_LEASE = 3
"""A worker may miss two beats before it counts as lost."""

_REMEMBERED = timedelta(days=1)
"""How long a lost worker is still listed."""


def register(session: Session, context: Context, body: WorkerRegistration) -> WorkerRegistered:
    """A worker that comes back takes up its old row. While a namesake still beats it gets a row of its own."""
    worker = repository.newest_silent(session, body.name, _alive_since(context))
    if worker is None:
        worker = Worker(**body.model_dump(), registered_at=clock.now(), last_seen_at=clock.now())
        session.add(worker)
    else:
        for field, value in body.model_dump().items():
            setattr(worker, field, value)
        worker.registered_at = worker.last_seen_at = clock.now()
    session.flush()
    return WorkerRegistered(worker_id=worker.id, heartbeat_seconds=context.settings.lease_seconds / BEATS_PER_LEASE)


def beat(session: Session, worker_id: int) -> None:
    repository.get(session, worker_id).last_seen_at = clock.now()


def list_all(session: Session, context: Context) -> list[WorkerRead]:
    held, studying = repository.held_runs(session), repository.with_study(session)
    alive_since = _alive_since(context)
    return [
        _read(worker, held.get(worker.id), worker.id in studying, alive_since)
        for worker in repository.seen_since(session, clock.now() - _REMEMBERED)
    ]


def alive(session: Session, context: Context) -> list[Worker]:
    return repository.seen_since(session, _alive_since(context))


def idle(session: Session, context: Context) -> list[Worker]:
    """Alive, with neither run nor study; those with a GPU first."""
    held = repository.held_runs(session).keys() | repository.with_study(session)
    free = [worker for worker in alive(session, context) if worker.id not in held]
    return sorted(free, key=lambda worker: (worker.device != "gpu", worker.id))


def _alive_since(context: Context) -> datetime:
    return clock.now() - timedelta(seconds=context.settings.lease_seconds)


def _read(worker: Worker, run_id: int | None, has_study: bool, alive_since: datetime) -> WorkerRead:
    state = WorkerState.BUSY if run_id is not None or has_study else WorkerState.IDLE
    if worker.last_seen_at < alive_since:
        state = WorkerState.LOST
    return WorkerRead(
        id=worker.id,
        name=worker.name,
        device=cast(DeviceKind, worker.device),
        device_name=worker.device_name,
        device_count=worker.device_count,
        memory_bytes=worker.memory_bytes,
        host_memory_bytes=worker.host_memory_bytes,
        versions=worker.versions,
        suites=worker.suites,
        state=state,
        run_id=run_id,
        last_seen_at=worker.last_seen_at,
    )
