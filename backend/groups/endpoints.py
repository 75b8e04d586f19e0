"""Groups of experiments over REST."""

from fastapi import APIRouter

from phylon.backend.accounts.projects.service import NotMember
from phylon.backend.accounts.rights import NotYours
from phylon.backend.dependencies import ContextDep, ReadSession, ViewerDep, WriteSession
from phylon.backend.groups import service
from phylon.backend.groups.service import GroupActive
from phylon.backend.idempotency import OnceDep
from phylon.backend.jobs.action_endpoints import add_actions
from phylon.backend.kit.errors import Forbidden, Invalid, NotFound, responses
from phylon.backend.kit.parameters import After, Id, Limit
from phylon.backend.queue.admission import NoWorkerFits
from phylon.backend.runs.extension import RunNotExtendable
from phylon.contract.base import Page
from phylon.contract.experiments import FromSpec, FromYaml
from phylon.contract.groups import ExperimentGroup, GroupSummary
from phylon.contract.runs import Extension

router = APIRouter(prefix="/groups", tags=["groups"])
add_actions(router, "group", ExperimentGroup, service.act)


@router.post("", status_code=201, responses=responses(Invalid, NotMember, NoWorkerFits))
def create_group(
    body: FromSpec | FromYaml, session: WriteSession, context: ContextDep, viewer: ViewerDep, once: OnceDep
) -> ExperimentGroup:
    """All experiments of it are stored, or none."""
    return once(body, ExperimentGroup, lambda: service.create(session, context, viewer, body))


@router.get("")
def list_groups(session: ReadSession, viewer: ViewerDep, limit: Limit = 100, after: After = None) -> Page[GroupSummary]:
    """The newest first."""
    return service.list_page(session, viewer, limit, after)


@router.get("/{id}", responses=responses(NotFound))
def get_group(id: Id, session: ReadSession, viewer: ViewerDep) -> ExperimentGroup:
    return service.get(session, viewer, id)


@router.post("/{id}/extend", responses=responses(NotFound, Forbidden, Invalid, RunNotExtendable))
def extend_group(
    id: Id, body: Extension, session: WriteSession, context: ContextDep, viewer: ViewerDep
) -> ExperimentGroup:
    """All its runs, which must have finished or stopped, or none."""
    return service.extend(session, context, viewer, id, body)


@router.delete("/{id}", status_code=204, responses=responses(NotFound, NotYours, GroupActive))
def delete_group(id: Id, session: WriteSession, viewer: ViewerDep) -> None:
    service.delete(session, viewer, id)
