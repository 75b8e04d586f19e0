"""What the operator of a worker can do with it."""

from sqlalchemy.orm import Session

from phylon.backend.accounts.rights import require_admin
from phylon.backend.accounts.viewer import Viewer
from phylon.backend.context import Context
from phylon.backend.jobs.changes import take_back_dispatched
from phylon.backend.kit import clock
from phylon.backend.kit.errors import Conflict
from phylon.backend.models import Worker
from phylon.backend.workers import repository, service
from phylon.contract.workers import Worker as WorkerRead


class NotQuarantined(Conflict):
    """There is nothing to release the worker from."""


def drain(session: Session, context: Context, viewer: Viewer, worker_id: int, now: bool) -> WorkerRead:
    """No new jobs. What was sent to it and not yet taken goes to others."""
    worker = _operate(session, viewer, worker_id)
    worker.draining_since = worker.draining_since or clock.now()
    worker.draining_at_once = worker.draining_at_once or now
    take_back_dispatched(session, context, worker)
    return service.read(session, context, viewer, worker)


def undrain(session: Session, context: Context, viewer: Viewer, worker_id: int) -> WorkerRead:
    worker = _operate(session, viewer, worker_id)
    worker.draining_since, worker.draining_at_once = None, False
    return service.read(session, context, viewer, worker)


def release(session: Session, context: Context, viewer: Viewer, worker_id: int) -> WorkerRead:
    """What it did before is forgotten: only crashes from now on count."""
    worker = _operate(session, viewer, worker_id)
    if worker.quarantined_at is None:
        raise NotQuarantined(f"Worker {worker.name} is not quarantined.", "Drain it to keep jobs away from it.")
    worker.quarantined_at, worker.quarantine_reason, worker.quarantine_jobs = None, None, []
    worker.released_at = clock.now()
    return service.read(session, context, viewer, worker)


def set_labels(session: Session, context: Context, viewer: Viewer, worker_id: int, labels: list[str]) -> WorkerRead:
    worker = _operate(session, viewer, worker_id)
    worker.labels = sorted(set(labels))
    return service.read(session, context, viewer, worker)


def _operate(session: Session, viewer: Viewer, worker_id: int) -> Worker:
    """Workers serve everyone, so only admins of the service may change what they do."""
    require_admin(viewer)
    return repository.get(session, worker_id)
