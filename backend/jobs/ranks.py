"""The ranks of gangs: who has which part of a job that several workers execute together.

One attempt, one lease, one fence for all of them. They are seated when the job is sent; each worker takes its seat, the
first of them begins the attempt. A gang is complete when all have prepared. Whoever is silent for a lease, or
gives back, ends the attempt for all.
"""

from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta
from itertools import groupby

from sqlalchemy import ColumnElement, Select, case, delete, exists, or_, select, update
from sqlalchemy.orm import Session

from phylon.backend.jobs.status import HELD, JobStatus
from phylon.backend.kit import clock
from phylon.backend.kit.columns import without_nul
from phylon.backend.models import Attempt, Job, Rank, Worker
from phylon.backend.queue.floor import Placement
from phylon.contract.protocol import GangNews, Meeting, RankReport
from phylon.contract.vocabulary import RankPhase


def of_present_attempt() -> ColumnElement[bool]:
    """Joins the ranks of jobs that have slots, in the attempt that goes on or is to begin."""
    coming = case((Job.status == JobStatus.DISPATCHED, 1), else_=0)
    return (Rank.job_id == Job.id) & (Rank.attempt == Job.attempt + coming)


def seat(session: Session, placements: Sequence[Placement]) -> None:
    """Of jobs that are sent. Who was seated for the same attempt before, and was not there, has no seat any more."""
    if not placements:
        return
    job_ids = {placement.job_id for placement in placements}
    attempts = {
        id: attempt + 1 for id, attempt in session.execute(select(Job.id, Job.attempt).where(Job.id.in_(job_ids)))
    }
    for job_id, attempt in attempts.items():
        session.execute(delete(Rank).where(Rank.job_id == job_id, Rank.attempt == attempt))
    session.add_all(
        Rank(job_id=id, attempt=attempts[id], rank=rank, worker_id=worker_id, slots=list(slots))
        for id, worker_id, slots, rank in placements
    )
    session.flush()


def of_attempt(session: Session, job_id: int, attempt: int) -> list[Rank]:
    statement = select(Rank).where(Rank.job_id == job_id, Rank.attempt == attempt).order_by(Rank.rank)
    return list(session.scalars(statement))


def by_attempt(session: Session, job_id: int) -> dict[int, list[tuple[Rank, str]]]:
    """Each with the name of its worker."""
    statement = select(Rank, Worker.name).join(Worker, Worker.id == Rank.worker_id).where(Rank.job_id == job_id)
    rows = session.execute(statement.order_by(Rank.attempt, Rank.rank))
    pairs = ((rank, name) for rank, name in rows)
    return {attempt: list(group) for attempt, group in groupby(pairs, lambda pair: pair[0].attempt)}


def present(session: Session, job_ids: Iterable[int]) -> dict[int, list[Rank]]:
    """Of jobs that have slots."""
    statement = select(Rank).join(Job, of_present_attempt()).where(Job.id.in_(list(job_ids)))
    rows = session.scalars(statement.order_by(Rank.job_id, Rank.rank))
    return {job_id: list(group) for job_id, group in groupby(rows, lambda rank: rank.job_id)}


def with_seat(worker_id: int) -> Select[int]:
    """Jobs in whose newest attempt the worker has a part; also when that has ended, since last words may follow."""
    return (
        select(Job.id)
        .join(Rank, (Rank.job_id == Job.id) & (Rank.attempt == Job.attempt))
        .where(Rank.worker_id == worker_id)
    )


def have_seat(session: Session, job_id: int, worker_id: int) -> bool:
    return session.scalar(with_seat(worker_id).where(Job.id == job_id).limit(1)) is not None


def find(session: Session, attempt: Attempt, rank: int) -> Rank | None:
    return session.get(Rank, (attempt.job_id, attempt.number, rank))


def find_free(session: Session, job: Job, worker_id: int) -> Rank | None:
    """The next seat of the worker that it has not taken."""
    coming = 1 if job.status == JobStatus.DISPATCHED else 0
    free = (
        rank
        for rank in of_attempt(session, job.id, job.attempt + coming)
        if rank.worker_id == worker_id and rank.phase == RankPhase.SENT
    )
    return next(free, None)


def take(rank: Rank) -> None:
    rank.phase, rank.heard_at = RankPhase.PREPARING, clock.now()


def hear(rank: Rank, report: RankReport) -> None:
    rank.heard_at = clock.now()
    rank.phase, rank.host, rank.left = report.phase, without_nul(report.host), report.left
    if report.meeting is not None:
        rank.address = without_nul(f"{report.meeting.host} {report.meeting.address}")
    rank.seconds_per_segment = report.seconds_per_segment or rank.seconds_per_segment


def lease_end(ranks: Sequence[Rank], lease_seconds: float) -> datetime:
    """Of those whose process has ended in order nothing more is expected."""
    heard = [rank.heard_at for rank in ranks if rank.heard_at is not None and rank.phase != RankPhase.ENDED]
    return min(heard, default=clock.now()) + timedelta(seconds=lease_seconds)


def news(ranks: Sequence[Rank]) -> GangNews:
    is_complete = all(rank.phase not in (RankPhase.SENT, RankPhase.PREPARING) for rank in ranks)
    host, _, address = (ranks[0].address or "").rpartition(" ")
    return GangNews(is_complete=is_complete, meeting=Meeting(host=host, address=address) if address else None)


def incomplete_since(session: Session, then: datetime) -> list[Job]:
    """Gangs whose attempt began before, and of which someone has not come yet. Locked."""
    is_missing = exists().where(Rank.job_id == Job.id, Rank.attempt == Job.attempt, Rank.phase == RankPhase.SENT)
    statement = (
        select(Job)
        .join(Attempt, (Attempt.job_id == Job.id) & (Attempt.number == Job.attempt))
        .where(Job.status.in_(HELD), Job.hosts > 1, Attempt.claimed_at < then, is_missing)
        .order_by(Job.id)
    )
    return list(session.scalars(statement.with_for_update(skip_locked=True, of=Job)))


def missing(session: Session, job: Job) -> list[tuple[Rank, str]]:
    of_newest = by_attempt(session, job.id).get(job.attempt, [])
    return [(rank, name) for rank, name in of_newest if rank.phase == RankPhase.SENT]


def most_silent(session: Session, job: Job) -> str | None:
    """Of a gang, in words: rank and worker."""
    of_newest = by_attempt(session, job.id).get(job.attempt, [])
    expected = [(rank, name) for rank, name in of_newest if rank.heard_at and rank.phase != RankPhase.ENDED]
    if not expected:
        return None
    rank, name = min(expected, key=lambda each: each[0].heard_at or clock.now())
    return f"rank {rank.rank} (worker {name})"


def bring_back(session: Session, now: datetime) -> None:
    """The clock was set back."""
    statement = update(Rank).where(Rank.heard_at > now).values(heard_at=now)
    session.execute(statement, execution_options={"synchronize_session": False})


def slots_held(session: Session, worker_id: int) -> list[tuple[Job, list[int]]]:
    """What it holds of gangs, beside rank 0, which the job itself names."""
    statement = (
        select(Job, Rank.slots)
        .join(Rank, of_present_attempt())
        .where(Job.status.in_(HELD), Rank.worker_id == worker_id, Rank.phase != RankPhase.SENT)
    )
    return [(job, slots) for job, slots in session.execute(statement)]


def jobs_sent_to(session: Session, worker_id: int) -> list[int]:
    """Gangs of which the worker has not taken its part yet, whether others have or not."""
    statement = (
        select(Job.id)
        .join(Rank, of_present_attempt())
        .where(Job.status.in_([*HELD, JobStatus.DISPATCHED]), Rank.worker_id == worker_id, Rank.phase == RankPhase.SENT)
    )
    return list(session.scalars(statement.distinct()))


def assigned(session: Session) -> list[tuple[int, Job, list[int]]]:
    """Worker, job and slots of all parts but those of rank 0."""
    statement = (
        select(Rank.worker_id, Job, Rank.slots)
        .join(Rank, of_present_attempt())
        .where(Job.status.in_([*HELD, JobStatus.DISPATCHED]), Rank.rank > 0)
    )
    return [(worker_id, job, slots) for worker_id, job, slots in session.execute(statement)]


def had_several() -> ColumnElement[bool]:
    """Whether an attempt was a gang's."""
    return exists().where(Rank.job_id == Attempt.job_id, Rank.attempt == Attempt.number)


def busy_times(session: Session, worker_id: int, since: datetime) -> list[tuple[int, datetime, datetime | None]]:
    """Slots, beginning and end of its parts of gangs but rank 0."""
    statement = (
        select(Rank.slots, Attempt.claimed_at, Attempt.ended_at)
        .join(Attempt, (Attempt.job_id == Rank.job_id) & (Attempt.number == Rank.attempt))
        .where(Rank.worker_id == worker_id, Rank.rank > 0)
        .where(or_(Attempt.ended_at.is_(None), Attempt.ended_at > since))
    )
    return [(len(slots), start, end) for slots, start, end in session.execute(statement)]
