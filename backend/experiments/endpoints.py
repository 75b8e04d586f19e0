"""Experiments over REST."""

from typing import Annotated

from fastapi import APIRouter, Query

from phylon.backend.dependencies import ContextDep, ReadSession, WriteSession
from phylon.backend.experiments import service
from phylon.backend.experiments.schemas import (
    ExperimentFromSpec,
    ExperimentFromYaml,
    ExperimentPage,
    ExperimentRead,
    ExperimentStatus,
)
from phylon.backend.experiments.service import ExperimentActive, ExperimentNotActive
from phylon.backend.kit.errors import Invalid, NotFound, responses
from phylon.backend.kit.parameters import LARGEST, Id, Offset

router = APIRouter(prefix="/experiments", tags=["experiments"])


@router.post("", status_code=201, responses=responses(Invalid))
def create_experiment(
    body: ExperimentFromSpec | ExperimentFromYaml, session: WriteSession, context: ContextDep
) -> ExperimentRead:
    return service.create(session, context, body)


@router.get("")
def list_experiments(
    session: ReadSession,
    search: str | None = None,
    status: ExperimentStatus | None = None,
    group: Annotated[int | None, Query(ge=1, le=LARGEST)] = None,
    limit: Annotated[int, Query(ge=1, le=500)] = 100,
    offset: Offset = 0,
) -> ExperimentPage:
    return service.list_page(session, search=search, status=status, group=group, limit=limit, offset=offset)


@router.get("/{id}", responses=responses(NotFound))
def get_experiment(id: Id, session: ReadSession) -> ExperimentRead:
    return service.get(session, id)


@router.post("/{id}/stop", responses=responses(NotFound, ExperimentNotActive))
def stop_experiment(id: Id, session: WriteSession, context: ContextDep) -> ExperimentRead:
    return service.stop(session, context, id)


@router.delete("/{id}", status_code=204, responses=responses(NotFound, ExperimentActive))
def delete_experiment(id: Id, session: WriteSession, context: ContextDep) -> None:
    service.delete(session, context, id)
