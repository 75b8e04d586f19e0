"""Runs over REST."""

from fastapi import APIRouter

from phylon.backend.dependencies import ContextDep, ReadSession, WriteSession
from phylon.backend.kit.errors import NotFound, responses
from phylon.backend.kit.parameters import Id
from phylon.backend.runs import service
from phylon.backend.runs.service import RunNotActive
from phylon.contract.runs import Run

router = APIRouter(prefix="/runs", tags=["runs"])


@router.get("/{id}", responses=responses(NotFound))
def get_run(id: Id, session: ReadSession) -> Run:
    return service.get(session, id)


@router.post("/{id}/stop", responses=responses(NotFound, RunNotActive))
def stop_run(id: Id, session: WriteSession, context: ContextDep) -> Run:
    return service.stop(session, context, id)
