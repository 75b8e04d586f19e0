"""Queries about whatever a job is for. Each row comes with its job."""

from collections.abc import Collection, Iterable
from typing import Any, TypeVar

from sqlalchemy import ColumnElement, Select, func, select
from sqlalchemy.orm import Session, joinedload, selectinload

from phylon.backend.accounts.rights import Columns, visible
from phylon.backend.accounts.viewer import Viewer
from phylon.backend.jobs import repository as jobs
from phylon.backend.kit.errors import NotFound
from phylon.backend.models import EnvironmentCheck, Evaluation, Experiment, Job, Payload, Run, Study

PAYLOADS: tuple[type[Payload], ...] = (Study, Evaluation, EnvironmentCheck)
NUMBER = func.coalesce(Run.id, *(model.id for model in PAYLOADS))
"""With `joined`: of the run, or of what else a job is for."""
NAME = func.coalesce(Experiment.name, *(model.name for model in PAYLOADS))

PayloadType = TypeVar("PayloadType", bound=Payload)


def joined(statement: Select[*Columns]) -> Select[*Columns]:
    """A statement about jobs, with whatever they are for."""
    statement = statement.outerjoin(Run, Run.job_id == Job.id).outerjoin(Experiment, Experiment.id == Run.experiment_id)
    for model in PAYLOADS:
        statement = statement.outerjoin(model, model.job_id == Job.id)
    return statement


def number_and_name(session: Session, job_id: int) -> tuple[int, str]:
    """Of what the job is for."""
    number, name = session.execute(joined(select(NUMBER, NAME).select_from(Job)).where(Job.id == job_id)).one()
    return number, name


def get(session: Session, viewer: Viewer, model: type[PayloadType], id: int) -> PayloadType:
    payload = session.scalar(visible(select(model).where(model.id == id), viewer, model).options(_owned(model)))
    if payload is None:
        raise NotFound(model.kind.replace("_", " "), id)
    return payload


def of_job(session: Session, model: type[PayloadType], job_id: int) -> PayloadType:
    return session.scalars(select(model).where(model.job_id == job_id)).one()


def jobs_of(session: Session, viewer: Viewer, model: type[Run | Payload], ids: Collection[int]) -> dict[int, int]:
    """The jobs of those that the viewer may see, by their own number."""
    rows = session.execute(visible(select(model.id, model.job_id).where(model.id.in_(ids)), viewer, model))
    return {id: job_id for id, job_id in rows}


def lock(session: Session, viewer: Viewer, model: type[PayloadType], id: int) -> PayloadType:
    """Changed by nobody else until this transaction ends: its job is locked, as every writer does before it writes."""
    payload = get(session, viewer, model, id)
    jobs.lock(session, payload.job_id)
    session.refresh(payload)
    return payload


def page(
    session: Session,
    viewer: Viewer,
    model: type[PayloadType],
    conditions: Iterable[ColumnElement[bool]],
    limit: int,
    after: int | None,
) -> tuple[list[PayloadType], int]:
    """The newest first, and how many there are in all. `after` is an id."""
    total = session.scalar(visible(select(func.count(model.id)).where(*conditions), viewer, model)) or 0
    statement = visible(select(model).where(*conditions), viewer, model).options(_owned(model))
    if after is not None:
        statement = statement.where(model.id < after)
    return list(session.scalars(statement.order_by(model.id.desc()).limit(limit))), total


def _owned(model: type[Payload]) -> Any:
    return joinedload(model.job).options(selectinload(Job.owner), selectinload(Job.project))
