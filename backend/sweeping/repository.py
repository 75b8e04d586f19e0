"""Queries of the sweeper: they see what is deleted, and change few rows at a time."""

import sqlite3
from datetime import datetime
from typing import Any, NamedTuple, cast

from sqlalchemy import CursorResult, delete, exists, select, text
from sqlalchemy.orm import InstrumentedAttribute, Session

from phylon.backend.models import (
    Artifact,
    Base,
    Event,
    Experiment,
    Group,
    Job,
    LogLine,
    MetricAxis,
    MetricColumn,
    MetricTick,
    Run,
    Span,
    Study,
    StudyMeasurement,
)
from phylon.backend.models.deletable import INCLUDE_DELETED
from phylon.contract.vocabulary import JobStatus

ENDED = (JobStatus.FINISHED, JobStatus.STOPPED, JobStatus.FAILED)
BATCH_ROWS = 2000
"""Removed in one transaction: some hundredths of a second, so that no heartbeat waits for long."""
BATCH_COLUMNS = 100
_SWEEPER_LOCK = 0x9471_0B
_ALL = {INCLUDE_DELETED: True}
_INCREMENTAL = 2
_PAGES_AT_ONCE = 1000


class DeletedJob(NamedTuple):
    id: int
    run_id: int | None
    study_id: int | None


def take_turn(session: Session) -> bool:
    """One sweeper at a time: on Postgres by this lock until the transaction ends; SQLite has one writer anyway."""
    if session.get_bind().dialect.name != "postgresql":
        return True
    return bool(session.scalar(text("SELECT pg_try_advisory_xact_lock(:key)"), {"key": _SWEEPER_LOCK}))


def next_deleted(session: Session) -> DeletedJob | None:
    statement = (
        select(Job.id, Run.id, Study.id)
        .outerjoin(Run, Run.job_id == Job.id)
        .outerjoin(Study, Study.job_id == Job.id)
        .where(Job.deleted_at.is_not(None))
        .order_by(Job.deleted_at, Job.id)
        .limit(1)
    )
    row = session.execute(statement, execution_options=_ALL).first()
    return None if row is None else DeletedJob(*row)


def remove_some_history(session: Session, job: DeletedJob) -> bool:
    """False when there was none left."""
    if job.run_id is not None and _remove_some_columns(session, job.run_id):
        return True
    parts: tuple[tuple[InstrumentedAttribute[int], int | None, InstrumentedAttribute[int]], ...] = (
        (MetricTick.run_id, job.run_id, MetricTick.seq),
        (MetricAxis.run_id, job.run_id, MetricAxis.row),
        (Span.run_id, job.run_id, Span.id),
        (Event.job_id, job.id, Event.seq),
        (LogLine.job_id, job.id, LogLine.id),
        (StudyMeasurement.study_id, job.study_id, StudyMeasurement.position),
    )
    return any(id is not None and _remove_some(session, owner, id, order) for owner, id, order in parts)


def _remove_some_columns(session: Session, run_id: int) -> bool:
    """Fewer than of other rows: one may be half a megabyte."""
    statement = select(MetricColumn.name, MetricColumn.level, MetricColumn.row).where(MetricColumn.run_id == run_id)
    keys = session.execute(statement.limit(BATCH_COLUMNS)).all()
    for name, level, row in keys:
        done = delete(MetricColumn).where(
            MetricColumn.run_id == run_id,
            MetricColumn.name == name,
            MetricColumn.level == level,
            MetricColumn.row == row,
        )
        session.execute(done, execution_options={"synchronize_session": False})
    return bool(keys)


def remove_some_log_lines(session: Session, job_id: int) -> bool:
    return _remove_some(session, LogLine.job_id, job_id, LogLine.id)


def _remove_some(
    session: Session, owner: InstrumentedAttribute[int], id: int, order: InstrumentedAttribute[int]
) -> bool:
    """Those that come first by `order`; whether there were any."""
    last = session.scalar(select(order).where(owner == id).order_by(order).offset(BATCH_ROWS - 1).limit(1))
    statement = delete(cast(type[Base], owner.class_)).where(owner == id)
    if last is not None:
        statement = statement.where(order <= last)
    done = session.execute(statement, execution_options={"synchronize_session": False})
    return cast(CursorResult[Any], done).rowcount > 0


def remove_job(session: Session, job_id: int) -> None:
    """With what is left of it, and with the experiment and the group whose last it was."""
    without_sync: dict[str, Any] = {"synchronize_session": False}
    session.execute(delete(Job).where(Job.id == job_id), execution_options=without_sync)
    remove_empty(session)


def remove_empty(session: Session) -> None:
    """Deleted experiments without runs, and deleted groups without experiments."""
    without_sync: dict[str, Any] = {"synchronize_session": False}
    for parent, is_owned in (
        (Experiment, exists().where(Run.experiment_id == Experiment.id)),
        (Group, exists().where(Experiment.group_id == Group.id)),
    ):
        session.execute(delete(parent).where(parent.deleted_at.is_not(None), ~is_owned), execution_options=without_sync)


def ended_with_logs(session: Session, before: datetime) -> int | None:
    """A job that ended before then and still has log lines."""
    statement = select(Job.id).where(Job.finished_at < before, exists().where(LogLine.job_id == Job.id))
    return session.scalar(statement.order_by(Job.id).limit(1), execution_options=_ALL)


def paths_of_job(session: Session, job_id: int) -> set[str]:
    return set(session.scalars(select(Artifact.path).where(Artifact.job_id == job_id)))


def vacuum_some(session: Session) -> bool:
    """Gives pages that nothing uses back to the file system; whether there were many. Postgres sees to it itself."""
    if session.get_bind().dialect.name != "sqlite" or session.scalar(text("PRAGMA auto_vacuum")) != _INCREMENTAL:
        return False
    if (session.scalar(text("PRAGMA freelist_count")) or 0) < _PAGES_AT_ONCE:
        return False
    driver = session.connection().connection.driver_connection
    assert isinstance(driver, sqlite3.Connection)
    # A row without columns for each page, and only as many pages as are fetched: SQLAlchemy would fetch none.
    driver.execute(f"PRAGMA incremental_vacuum({_PAGES_AT_ONCE})").fetchall()
    return True


def needed_jobs(session: Session, job_ids: list[int]) -> list[int]:
    """Those that have not ended and are not deleted."""
    statement = select(Job.id).where(Job.id.in_(job_ids), Job.status.not_in(ENDED))
    return list(session.scalars(statement.order_by(Job.id)))
