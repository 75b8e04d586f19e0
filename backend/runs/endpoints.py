"""Runs over REST."""

from fastapi import APIRouter

from phylon.backend.dependencies import ContextDep, ReadSession, WriteSession
from phylon.backend.kit.errors import NotFound, responses
from phylon.backend.kit.parameters import Id
from phylon.backend.runs import service
from phylon.backend.runs.schemas import RunRead
from phylon.backend.runs.service import RunNotActive

router = APIRouter(prefix="/runs", tags=["runs"])


@router.get("/{id}", responses=responses(NotFound))
def get_run(id: Id, session: ReadSession) -> RunRead:
    return service.get(session, id)


@router.post("/{id}/stop", responses=responses(NotFound, RunNotActive))
def stop_run(id: Id, session: WriteSession, context: ContextDep) -> RunRead:
    return service.stop(session, context, id)
