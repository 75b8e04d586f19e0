"""Rules about workers."""

from datetime import datetime, timedelta
from typing import cast

from sqlalchemy.orm import Session

from phylon.backend.accounts import codes
from phylon.backend.accounts.viewer import Viewer
from phylon.backend.context import Context
from phylon.backend.jobs import repository as jobs
from phylon.backend.jobs.ending import give_up, quarantine
from phylon.backend.kit import clock
from phylon.backend.kit.errors import Conflict
from phylon.backend.models import Job, Worker
from phylon.backend.workers import repository
from phylon.backend.workers.load import BUCKET, BUCKETS, measure
from phylon.backend.workers.versions import find_differing
from phylon.contract.protocol import DeviceKind, JobKindName, WorkerRegistered, WorkerRegistration
from phylon.contract.vocabulary import HELD, WorkerState
from phylon.contract.workers import Worker as WorkerRead
from phylon.contract.workers import WorkerJob, WorkerLoad, WorkerSlot

BEATS_PER_LEASE = 3
"""A worker may miss two beats before it counts as lost."""

_REMEMBERED = timedelta(days=1)
"""How long a lost worker is still listed."""


class WorkerRunsElsewhere(Conflict):
    """A process on another machine uses the same credential."""

    def __init__(self, worker: Worker) -> None:
        super().__init__(
            f"Worker {worker.id}, {worker.name}, runs on {worker.machine} and was heard of just now.",
            "Enrol this machine with a code of its own; a credential that was copied serves one machine at a time.",
        )


def register(session: Session, context: Context, worker_id: int, body: WorkerRegistration) -> WorkerRegistered:
    """A worker that comes back takes up its row at once: its credential says which that is.

    On its machine one process at a time can hold the credential, so the one before is gone, and so are its jobs.
    """
    worker = repository.lock(session, worker_id)
    if body.machine != worker.machine and worker.left_at is None and worker.last_seen_at >= alive_since(context):
        raise WorkerRunsElsewhere(worker)
    lose_jobs(session, context, worker, f"worker {worker.name} was started again.")
    kept = {"name", "fault"} if body.labels else {"name", "fault", "labels"}  # it has the name with which it enrolled
    for field, value in body.model_dump(exclude=kept).items():
        setattr(worker, field, value)
    worker.registered_at = worker.last_seen_at = clock.now()
    worker.left_at = None
    session.flush()
    codes.use_up_enrolment(session, worker_id)
    note_fault(session, context, worker, body.fault)
    return WorkerRegistered(worker_id=worker.id, heartbeat_seconds=context.settings.lease_seconds / BEATS_PER_LEASE)


def lose_jobs(session: Session, context: Context, worker: Worker, why: str) -> None:
    """What it holds goes to others, without waiting for the lease."""
    held = [job.id for job, _ in jobs.held_by(session, worker.id)]
    for job in jobs.lock_all(session, held):
        if job.status in HELD:
            give_up(session, context, job, jobs.get_attempt(session, job.id, job.attempt), "lost", why)


def beat(session: Session, worker_id: int) -> None:
    repository.get(session, worker_id).last_seen_at = clock.now()


def note_fault(session: Session, context: Context, worker: Worker, fault: str | None) -> None:
    """What the worker found out about its own devices. It can take back its own word, not a verdict on its jobs."""
    if fault is not None and not worker.quarantine_jobs:
        quarantine(session, context, worker, fault)
    elif fault is None and not worker.quarantine_jobs:
        worker.quarantined_at = worker.quarantine_reason = None


def list_all(session: Session, context: Context, viewer: Viewer) -> list[WorkerRead]:
    return _read_all(session, context, viewer, repository.seen_since(session, clock.now() - _REMEMBERED))


def read(session: Session, context: Context, viewer: Viewer, worker: Worker) -> WorkerRead:
    [answer] = _read_all(session, context, viewer, [worker])
    return answer


def read_load(session: Session, worker_id: int) -> WorkerLoad:
    worker, now = repository.get(session, worker_id), clock.now()
    return measure(repository.busy_times(session, worker_id, now - BUCKETS * BUCKET), worker.slots, now)


def alive(session: Session, context: Context) -> list[Worker]:
    return repository.present_since(session, alive_since(context))


def alive_since(context: Context) -> datetime:
    return clock.now() - timedelta(seconds=context.settings.lease_seconds)


def _read_all(session: Session, context: Context, viewer: Viewer, workers: list[Worker]) -> list[WorkerRead]:
    assigned = jobs.assigned(session)
    named = {job.id for held in assigned.values() for job, _ in held}
    named |= {job_id for worker in workers for job_id in worker.quarantine_jobs}
    known = {
        job_id: WorkerJob(job_id=job_id, kind=cast(JobKindName, kind), id=id, name=name)
        for job_id, (kind, id, name) in repository.payloads(session, viewer, named).items()
    }
    since = alive_since(context)
    return [_read(worker, assigned.get(worker.id, []), known, since, viewer) for worker in workers]


def _read(
    worker: Worker, assigned: list[tuple[Job, list[int]]], known: dict[int, WorkerJob], since: datetime, viewer: Viewer
) -> WorkerRead:
    in_slot = {slot: known.get(job.id) for job, slots in assigned for slot in slots}
    return WorkerRead(
        id=worker.id,
        name=worker.name,
        device=cast(DeviceKind, worker.device),
        device_name=worker.device_name,
        device_count=worker.device_count,
        memory_bytes=worker.memory_bytes,
        host_memory_bytes=worker.host_memory_bytes,
        versions=worker.versions,
        differing_versions=find_differing(worker.versions),
        suites=worker.suites,
        environments=[row["id"] for row in worker.environments],
        slots=[
            WorkerSlot(number=number, is_free=number not in in_slot, job=in_slot.get(number))
            for number in range(worker.slots)
        ],
        labels=worker.labels,
        state=_state(worker, bool(in_slot), since),
        reason=worker.quarantine_reason,
        blamed_for=[known[job_id] for job_id in worker.quarantine_jobs if job_id in known],
        draining_since=worker.draining_since,
        quarantined_at=worker.quarantined_at,
        enrolled_by=worker.enrolled_by,
        last_seen_at=worker.last_seen_at,
        may_operate=viewer.is_admin,
    )


def _state(worker: Worker, is_busy: bool, since: datetime) -> WorkerState:
    """The first that applies: what keeps it from getting a job, most lasting cause first."""
    if worker.last_seen_at < since or worker.left_at is not None:
        return WorkerState.LOST
    if worker.quarantined_at is not None:
        return WorkerState.QUARANTINED
    if worker.draining_since is not None:
        return WorkerState.DRAINING
    return WorkerState.BUSY if is_busy else WorkerState.IDLE
