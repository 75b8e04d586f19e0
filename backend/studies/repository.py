"""Queries about runtime studies and what they measured."""

from collections.abc import Sequence

from sqlalchemy import delete, select
from sqlalchemy.orm import Session

from phylon.backend.accounts.rights import visible
from phylon.backend.accounts.viewer import Viewer
from phylon.backend.models import Job, Study, StudyMeasurement
from phylon.contract.studies import Measurement
from phylon.contract.vocabulary import ACTIVE


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
