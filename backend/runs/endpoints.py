"""Runs over REST."""

from fastapi import APIRouter

from phylon.backend.dependencies import ContextDep, ReadSession, ViewerDep, WriteSession
from phylon.backend.jobs.action_endpoints import add_actions
from phylon.backend.kit.errors import Forbidden, Invalid, NotFound, responses
from phylon.backend.kit.pages import page_of
from phylon.backend.kit.parameters import After, Id, Limit
from phylon.backend.runs import service
from phylon.backend.runs.extension import RunNotExtendable
from phylon.contract.base import Page
from phylon.contract.runs import Attempt, Extension, ExtensionOutlook, Run

router = APIRouter(prefix="/runs", tags=["runs"])
add_actions(router, "run", Run, service.act)


@router.get("/{id}", responses=responses(NotFound))
def get_run(id: Id, session: ReadSession, viewer: ViewerDep) -> Run:
    return service.get(session, viewer, id)


@router.get("/{id}/attempts", responses=responses(NotFound))
def list_run_attempts(
    id: Id, session: ReadSession, viewer: ViewerDep, limit: Limit = 500, after: After = None
) -> Page[Attempt]:
    """The oldest first."""
    return page_of(service.list_attempts(session, viewer, id), limit, after, key=lambda attempt: attempt.number)


@router.get("/{id}/extension", responses=responses(NotFound))
def get_run_extension(id: Id, session: ReadSession, viewer: ViewerDep) -> ExtensionOutlook:
    """Whether and how it could go on to a larger budget."""
    return service.look_at_extension(session, viewer, id)


@router.post("/{id}/extend", responses=responses(NotFound, Forbidden, Invalid, RunNotExtendable))
def extend_run(id: Id, body: Extension, session: WriteSession, context: ContextDep, viewer: ViewerDep) -> Run:
    """A finished or stopped run goes on to a larger budget. Its result so far stays that of its last attempt."""
    return service.extend(session, context, viewer, id, body)
