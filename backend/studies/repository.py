"""Queries about runtime studies. Each comes with its job."""

from collections.abc import Sequence

from sqlalchemy import delete, func, select
from sqlalchemy.orm import Session, joinedload, selectinload

from phylon.backend.accounts.rights import visible
from phylon.backend.accounts.viewer import Viewer
from phylon.backend.jobs import repository as jobs
from phylon.backend.kit.errors import NotFound
from phylon.backend.models import Job, Study, StudyMeasurement
from phylon.contract.studies import Measurement
from phylon.contract.vocabulary import ACTIVE

_OWNED = (joinedload(Study.job).options(selectinload(Job.owner), selectinload(Job.project)),)


def get(session: Session, viewer: Viewer, study_id: int) -> Study:
    study = session.scalar(visible(select(Study).where(Study.id == study_id), viewer, Study).options(*_OWNED))
    if study is None:
        raise NotFound("study", study_id)
    return study


def of_job(session: Session, job_id: int) -> Study:
    return session.scalars(select(Study).where(Study.job_id == job_id)).one()


def lock(session: Session, viewer: Viewer, study_id: int) -> Study:
    """Changed by nobody else until this transaction ends: its job is locked, as every writer does before it writes."""
    study = get(session, viewer, study_id)
    jobs.lock(session, study.job_id)
    session.refresh(study)
    return study


def page(session: Session, viewer: Viewer, limit: int, after: int | None) -> tuple[list[Study], int]:
    """The newest first, and how many there are in all. `after` is an id."""
    numbers = visible(select(Study.id), viewer, Study)
    total = session.scalar(select(func.count()).select_from(numbers.subquery())) or 0
    statement = visible(select(Study), viewer, Study).options(*_OWNED).order_by(Study.id.desc()).limit(limit)
    if after is not None:
        statement = statement.where(Study.id < after)
    return list(session.scalars(statement)), total


def newest_measured(session: Session, viewer: Viewer, limit: int) -> list[Study]:
    """Those with at least one cell, the newest first."""
    statement = visible(select(Study), viewer, Study).where(Study.done > 0).order_by(Study.id.desc()).limit(limit)
    return list(session.scalars(statement))


def active(session: Session, viewer: Viewer) -> list[Study]:
    """Those that have not ended, the oldest first."""
    statement = visible(select(Study), viewer, Study).join(Study.job).where(Job.status.in_(ACTIVE))
    return list(session.scalars(statement.order_by(Study.id)))


def measurements(session: Session, study_id: int) -> list[Measurement]:
    statement = (
        select(StudyMeasurement.content)
        .where(StudyMeasurement.study_id == study_id)
        .order_by(StudyMeasurement.position)
    )
    return [Measurement.model_validate(content) for content in session.scalars(statement)]


def add_measurements(session: Session, study_id: int, position: int, found: Sequence[Measurement]) -> None:
    session.add_all(
        StudyMeasurement(study_id=study_id, position=place, content=measurement.model_dump(mode="json"))
        for place, measurement in enumerate(found, start=position)
    )


def forget_measurements(session: Session, study_id: int) -> None:
    session.flush()
    session.execute(delete(StudyMeasurement).where(StudyMeasurement.study_id == study_id))
