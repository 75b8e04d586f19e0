"""Runs over REST."""

from fastapi import APIRouter

from backend.dependencies import ContextDep, ReadSession, WriteSession
from backend.kit.errors import NotFound, responses
from backend.kit.parameters import Id
from backend.runs import service
from backend.runs.schemas import RunRead
from backend.runs.service import RunNotActive

router = APIRouter(prefix="/runs", tags=["runs"])


@router.get("/{id}", responses=responses(NotFound))
def get_run(id: Id, session: ReadSession) -> RunRead:
    return service.get(session, id)


@router.post("/{id}/stop", responses=responses(NotFound, RunNotActive))
def stop_run(id: Id, session: WriteSession, context: ContextDep) -> RunRead:
    return service.stop(session, context, id)
