"""Queries about runtime studies."""

from collections.abc import Sequence
from datetime import datetime

from sqlalchemy import delete, func, select
from sqlalchemy.orm import Session

from phylon.backend.kit.errors import NotFound
from phylon.backend.models import Study, StudyMeasurement
from phylon.backend.runs.status import ACTIVE, HELD, RunStatus
from phylon.study import Measurement


def get(session: Session, study_id: int) -> Study:
    study = session.get(Study, study_id)
    if study is None:
        raise NotFound("study", study_id)
    return study


def lock(session: Session, study_id: int) -> Study:
    study = session.scalar(select(Study).where(Study.id == study_id).with_for_update())
    if study is None:
        raise NotFound("study", study_id)
    return study


def page(session: Session, limit: int, after: int | None) -> tuple[list[Study], int]:
    """The newest first, and how many there are in all. `after` is an id."""
    total = session.scalar(select(func.count()).select_from(Study)) or 0
    statement = select(Study).order_by(Study.id.desc()).limit(limit)
    if after is not None:
        statement = statement.where(Study.id < after)
    return list(session.scalars(statement)), total


def newest_measured(session: Session, limit: int) -> list[Study]:
    """Those with at least one cell, the newest first."""
    statement = select(Study).where(Study.done > 0).order_by(Study.id.desc()).limit(limit)
    return list(session.scalars(statement))


def active(session: Session) -> list[Study]:
    """Those that have not ended, the oldest first."""
    return list(session.scalars(select(Study).where(Study.status.in_(ACTIVE)).order_by(Study.id)))


def waiting(session: Session, limit: int) -> list[Study]:
    """The oldest first, locked."""
    statement = select(Study).where(Study.status == RunStatus.QUEUED).order_by(Study.id).limit(limit)
    return list(session.scalars(statement.with_for_update(skip_locked=True)))


def with_expired_lease(session: Session, now: datetime) -> list[Study]:
    """Locked."""
    statement = select(Study).where(Study.status.in_(HELD), Study.lease_expires_at < now).order_by(Study.id)
    return list(session.scalars(statement.with_for_update(skip_locked=True)))


def unclaimed_since(session: Session, then: datetime) -> list[Study]:
    """Locked."""
    statement = select(Study).where(Study.status == RunStatus.DISPATCHED, Study.dispatched_at < then).order_by(Study.id)
    return list(session.scalars(statement.with_for_update(skip_locked=True)))


def find(session: Session, study_id: int) -> Study | None:
    return session.get(Study, study_id)


def measurements(session: Session, study_id: int, position: int = 0) -> list[Measurement]:
    """From `position` on."""
    statement = (
        select(StudyMeasurement.content)
        .where(StudyMeasurement.study_id == study_id, StudyMeasurement.position >= position)
        .order_by(StudyMeasurement.position)
    )
    return [Measurement.model_validate(content) for content in session.scalars(statement)]


def replace_from(session: Session, study_id: int, position: int, found: Sequence[Measurement]) -> None:
    """Puts these in the place of all from `position` on."""
    session.execute(
        delete(StudyMeasurement).where(StudyMeasurement.study_id == study_id, StudyMeasurement.position >= position)
    )
    session.add_all(
        StudyMeasurement(study_id=study_id, position=place, content=measurement.model_dump(mode="json"))
        for place, measurement in enumerate(found, start=position)
    )
