"""Queries about the queue. Those of every tick read columns, not objects: there may be ten thousand waiting jobs."""

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Any, NamedTuple

from sqlalchemy import ColumnElement, String, case, cast, func, or_, select, text, update
from sqlalchemy.orm import Session

from phylon.backend.accounts.rights import visible
from phylon.backend.accounts.viewer import Viewer
from phylon.backend.jobs import ranks
from phylon.backend.jobs.status import HELD, JobStatus
from phylon.backend.kit.errors import NotFound
from phylon.backend.models import Attempt, Experiment, Job, Project, Rank, Run, Usage, User, Worker
from phylon.backend.payloads.repository import NAME, NUMBER, joined
from phylon.contract.vocabulary import Priority

Rows = Sequence[Any]
"""With a name for each column. Ten thousand objects would take longer to make than a tick may take."""


class Only(NamedTuple):
    """Whose jobs someone wants to see; None stands for all."""

    project_id: int | None = None
    owner_id: int | None = None
    priority: Priority | None = None

    def conditions(self) -> list[ColumnElement[bool]]:
        wanted = zip((Job.project_id, Job.owner_id, Job.priority), self, strict=True)
        return [column == value for column, value in wanted if value is not None]


_SCHEDULER_LOCK = 0x9471_0A
_PLACED = (JobStatus.DISPATCHED, *HELD)


def take_turn(session: Session) -> bool:
    """One scheduler at a time: on Postgres by this lock until the transaction ends; SQLite has one writer anyway."""
    if session.get_bind().dialect.name != "postgresql":
        return True
    return bool(session.scalar(text("SELECT pg_try_advisory_xact_lock(:key)"), {"key": _SCHEDULER_LOCK}))


def find_visible(session: Session, viewer: Viewer, job_id: int) -> Job:
    job = session.scalar(visible(select(Job).where(Job.id == job_id), viewer, Job))
    if job is None:
        raise NotFound("job", job_id)
    return job


def with_expired_lease(session: Session, now: datetime) -> list[Job]:
    """Locked. One whose heartbeat is being taken right now is left to it."""
    statement = select(Job).where(Job.status.in_(HELD), Job.lease_expires_at < now).order_by(Job.id)
    return list(session.scalars(statement.with_for_update(skip_locked=True)))


def bring_back(session: Session, now: datetime, lease_end: datetime) -> None:
    """Times that lie later than any that would be written now. Doing so twice is harmless."""
    for statement in (
        update(Job).where(Job.lease_expires_at > lease_end).values(lease_expires_at=lease_end),
        update(Job).where(Job.dispatched_at > now).values(dispatched_at=now),
        update(Job).where(Job.not_before > now).values(not_before=now),
        update(Worker).where(Worker.last_seen_at > now).values(last_seen_at=now),
    ):
        session.execute(statement, execution_options={"synchronize_session": False})
    ranks.bring_back(session, now)


def unclaimed_since(session: Session, then: datetime) -> list[Job]:
    """Locked."""
    statement = select(Job).where(Job.status == JobStatus.DISPATCHED, Job.dispatched_at < then).order_by(Job.id)
    return list(session.scalars(statement.with_for_update(skip_locked=True)))


def waiting(session: Session, now: datetime) -> Rows:
    """Equal jobs of a person in one row, with their numbers as a text; without those that are not to be sent yet."""
    keys = (Job.project_id, Job.owner_id, Job.priority, Job.ask)
    statement = select(
        *keys,
        func.min(Job.queued_at).label("queued_at"),
        case((func.count(Job.expected_seconds) == func.count(), func.max(Job.expected_seconds))).label("expected"),
        func.aggregate_strings(cast(Job.id, String), ",").label("ids"),
    )
    is_due = or_(Job.not_before.is_(None), Job.not_before <= now)
    return session.execute(statement.where(Job.status == JobStatus.QUEUED, is_due).group_by(*keys)).all()


def moved(session: Session) -> dict[int, int]:
    """Places of the active jobs that someone moved; those that have ended have none."""
    statement = select(Job.id, Job.place).where(Job.place.is_not(None))
    return {job_id: place for job_id, place in session.execute(statement) if place is not None}


def placed(session: Session) -> Rows:
    """Jobs that have slots, with what their ends are estimated from; of a gang each rank."""
    speed = Run.population_size, Run.total_steps, Run.step, Run.env_steps_per_second
    yielding = Job.yield_to.is_not(None).label("yield_requested")
    devices = (Job.devices // Job.hosts).label("devices")
    worker_id = func.coalesce(Rank.worker_id, Job.worker_id).label("worker_id")
    columns = (Job.id, Job.project_id, Job.owner_id, Job.priority, worker_id, devices, Job.status)
    statement = (
        select(
            *columns,
            func.coalesce(cast(Rank.slots, String), cast(Job.slots, String)).label("slots"),
            Job.queued_at,
            Job.dispatched_at,
            Job.expected_seconds,
            Attempt.claimed_at,
            *speed,
            yielding,
            func.coalesce(Rank.rank, 0),
            Job.hosts,
        )
        .outerjoin(Rank, ranks.of_present_attempt())
        .outerjoin(Attempt, (Attempt.job_id == Job.id) & (Attempt.number == Job.attempt) & Job.status.in_(HELD))
        .outerjoin(Run, Run.job_id == Job.id)
        .where(Job.status.in_(_PLACED), Job.worker_id.is_not(None))
    )
    return session.execute(statement).all()


def ask_to_yield(session: Session, job_ids: Sequence[int]) -> None:
    """Their workers hear of it in the answer to the next heartbeat."""
    if job_ids:
        is_free = (Job.status == JobStatus.RUNNING) & Job.yield_to.is_(None)  # a pause prevails
        statement = update(Job).where(Job.id.in_(job_ids), is_free).values(yield_to=JobStatus.QUEUED.value)
        session.execute(statement, execution_options={"synchronize_session": False})


class KnownWorker(NamedTuple):
    """Lists as the JSON texts that they are stored as: most workers have the same, so most need not be read."""

    id: int
    name: str
    device: str
    slots: int
    memory_bytes: int
    host_memory_bytes: int | None
    labels: str
    suites: str
    algorithms: str | None
    methods: str | None
    environments: str
    several_ranks: bool
    is_refused: bool
    """Draining, quarantined, gone or revoked."""
    last_seen_at: datetime


def known_workers(session: Session, since: datetime) -> list[KnownWorker]:
    refusing = (Worker.draining_since, Worker.quarantined_at, Worker.left_at, Worker.revoked_at)
    is_refused = or_(*(column.is_not(None) for column in refusing))
    columns = (
        *(Worker.id, Worker.name, Worker.device, Worker.slots, Worker.memory_bytes, Worker.host_memory_bytes),
        *(cast(column, String) for column in (Worker.labels, Worker.suites, Worker.algorithms, Worker.methods)),
        cast(Worker.environments, String),
        Worker.several_ranks,
        *(is_refused, Worker.last_seen_at),
    )
    statement = select(*columns).where(Worker.last_seen_at >= since).order_by(Worker.id)
    return [KnownWorker(*row) for row in session.execute(statement)]


def projects(session: Session) -> list[Project]:
    return list(session.scalars(select(Project).order_by(Project.id)))


def user_names(session: Session) -> dict[int, str]:
    return {id: name for id, name in session.execute(select(User.id, User.name))}


def usages(session: Session) -> list[Usage]:
    return list(session.scalars(select(Usage)))


def uncharged(session: Session) -> Rows:
    """Attempts that have ended since someone looked."""
    statement = (
        select(Attempt.job_id, Attempt.number, Attempt.claimed_at, Attempt.ended_at)
        .add_columns(Job.project_id, Job.owner_id, Job.devices)
        .join(Job, Job.id == Attempt.job_id)
        .where(Attempt.charged.is_(False), Attempt.ended_at.is_not(None))
    )
    return session.execute(statement).all()


def mark_charged(session: Session, attempts: Iterable[tuple[int, int]]) -> None:
    rows = [{"job_id": job_id, "number": number, "charged": True} for job_id, number in attempts]
    if rows:
        session.execute(update(Attempt), rows)


def attempts_since(session: Session, then: datetime, project_ids: Sequence[int]) -> Rows:
    """Of these projects, that had not ended by then."""
    statement = (
        select(Job.project_id, Job.devices, Attempt.claimed_at, Attempt.ended_at)
        .join(Job, Job.id == Attempt.job_id)
        .where(Job.project_id.in_(project_ids), or_(Attempt.ended_at > then, Attempt.ended_at.is_(None)))
    )
    return session.execute(statement).all()


def served_since(session: Session, then: datetime) -> Rows:
    """Project, owner and class of the jobs that were claimed after that."""
    columns = (Job.project_id, Job.owner_id, Job.priority)
    statement = select(*columns).join(Attempt, Attempt.job_id == Job.id).where(Attempt.claimed_at > then).distinct()
    return session.execute(statement).all()


def lock_queued(session: Session, job_ids: Sequence[int]) -> list[int]:
    """Those of the jobs that still wait, locked."""
    statement = select(Job.id).where(Job.id.in_(job_ids), Job.status == JobStatus.QUEUED)
    return list(session.scalars(statement.with_for_update(skip_locked=True)))


def without_expectation(session: Session, limit: int) -> Rows:
    """Waiting runs whose length nobody knows."""
    return session.execute(
        select(Job.id, *_LIKENESS, Run.total_steps, Run.step)
        .join(Run, Run.job_id == Job.id)
        .join(Experiment, Experiment.id == Run.experiment_id)
        .where(Job.status == JobStatus.QUEUED, Job.expected_seconds.is_(None))
        .order_by(Job.id)
        .limit(limit)
    ).all()


_LIKENESS = (Experiment.suite, Experiment.environment, Experiment.algorithm, Experiment.method, Run.population_size)


def speeds(session: Session, limit: int) -> Rows:
    """What makes runs alike, with the environment steps a second of all members, newest first."""
    return session.execute(
        select(*_LIKENESS, Run.env_steps_per_second)
        .join(Experiment, Experiment.id == Run.experiment_id)
        .where(Run.env_steps_per_second.is_not(None))
        .order_by(Run.id.desc())
        .limit(limit)
    ).all()


def expect(session: Session, seconds: dict[int, float]) -> None:
    if seconds:
        session.execute(update(Job), [{"id": job_id, "expected_seconds": value} for job_id, value in seconds.items()])


def described(session: Session, job_ids: Sequence[int]) -> dict[int, Any]:
    """What people see of jobs, by number."""
    statement = (
        select(
            *(
                Job.id,
                Job.kind,
                Job.owner_id,
                Job.project_id,
                Job.priority,
                Job.status,
                Job.devices,
                Job.hosts,
                Job.ask,
            ),
            *(Job.queued_at, Job.not_before, Job.expected_seconds, Job.slots, Job.yield_to, Job.finished_at, Job.error),
            Attempt.ended_at,
            *(Run.id.label("run_id"), Experiment.id.label("experiment_id")),
            *(NUMBER.label("payload_id"), NAME.label("name")),
        )
        .outerjoin(Attempt, (Attempt.job_id == Job.id) & (Attempt.number == Job.attempt))
        .where(Job.id.in_(job_ids))
    )
    return {row.id: row for row in session.execute(joined(statement))}


def backing_off(session: Session, now: datetime, only: Only) -> list[int]:
    is_later = (Job.status == JobStatus.QUEUED) & (Job.not_before > now)
    statement = select(Job.id).where(is_later, *only.conditions()).order_by(Job.not_before)
    return list(session.scalars(statement))


def resting(session: Session, viewer: Viewer, failed_since: datetime, only: Only, limit: int) -> list[int]:
    """Jobs that wait for a person, the newest first."""
    has_failed = (Job.status == JobStatus.FAILED) & (Job.finished_at >= failed_since)
    statement = select(Job.id).where(or_(Job.status == JobStatus.PAUSED, has_failed), *only.conditions())
    return list(session.scalars(visible(statement.order_by(Job.id.desc()).limit(limit), viewer, Job)))


def line_of(session: Session, job: Job) -> list[Job]:
    """The waiting jobs of the same owner, project and class, in order, locked."""
    statement = select(Job).where(
        Job.status == JobStatus.QUEUED,
        Job.project_id == job.project_id,
        Job.owner_id == job.owner_id,
        Job.priority == job.priority,
    )
    return list(session.scalars(statement.order_by(func.coalesce(Job.place, Job.id), Job.id).with_for_update()))
