"""Experiments over REST."""

from typing import Annotated

from fastapi import APIRouter, Query

from phylon.backend.dependencies import ContextDep, ReadSession, WriteSession
from phylon.backend.experiments import service
from phylon.backend.experiments.service import ExperimentActive, ExperimentNotActive
from phylon.backend.idempotency import OnceDep
from phylon.backend.kit.errors import Invalid, NotFound, responses
from phylon.backend.kit.parameters import LARGEST, After, Id, Limit
from phylon.contract.base import Page
from phylon.contract.experiments import Experiment, ExperimentSummary, FromSpec, FromYaml
from phylon.contract.vocabulary import ExperimentStatus

router = APIRouter(prefix="/experiments", tags=["experiments"])


@router.post("", status_code=201, responses=responses(Invalid))
def create_experiment(
    body: FromSpec | FromYaml, session: WriteSession, context: ContextDep, once: OnceDep
) -> Experiment:
    return once(body, Experiment, lambda: service.create(session, context, body))


@router.get("")
def list_experiments(
    session: ReadSession,
    search: str | None = None,
    status: ExperimentStatus | None = None,
    group: Annotated[int | None, Query(ge=1, le=LARGEST)] = None,
    limit: Limit = 100,
    after: After = None,
) -> Page[ExperimentSummary]:
    """The newest first."""
    return service.list_page(session, search=search, status=status, group=group, limit=limit, after=after)


@router.get("/{id}", responses=responses(NotFound))
def get_experiment(id: Id, session: ReadSession) -> Experiment:
    return service.get(session, id)


@router.post("/{id}/stop", responses=responses(NotFound, ExperimentNotActive))
def stop_experiment(id: Id, session: WriteSession, context: ContextDep) -> Experiment:
    return service.stop(session, context, id)


@router.delete("/{id}", status_code=204, responses=responses(NotFound, ExperimentActive))
def delete_experiment(id: Id, session: WriteSession, context: ContextDep) -> None:
    service.delete(session, context, id)
