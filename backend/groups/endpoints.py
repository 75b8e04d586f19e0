"""Groups of experiments over REST."""

from fastapi import APIRouter

from phylon.backend.dependencies import ContextDep, ReadSession, WriteSession
from phylon.backend.groups import service
from phylon.backend.groups.service import GroupActive, GroupNotActive
from phylon.backend.idempotency import OnceDep
from phylon.backend.kit.errors import Invalid, NotFound, responses
from phylon.backend.kit.parameters import After, Id, Limit
from phylon.contract.base import Page
from phylon.contract.experiments import FromSpec, FromYaml
from phylon.contract.groups import ExperimentGroup, GroupSummary

router = APIRouter(prefix="/groups", tags=["groups"])


@router.post("", status_code=201, responses=responses(Invalid))
def create_group(
    body: FromSpec | FromYaml, session: WriteSession, context: ContextDep, once: OnceDep
) -> ExperimentGroup:
    """All experiments of it are stored, or none."""
    return once(body, ExperimentGroup, lambda: service.create(session, context, body))


@router.get("")
def list_groups(session: ReadSession, limit: Limit = 100, after: After = None) -> Page[GroupSummary]:
    """The newest first."""
    return service.list_page(session, limit, after)


@router.get("/{id}", responses=responses(NotFound))
def get_group(id: Id, session: ReadSession) -> ExperimentGroup:
    return service.get(session, id)


@router.post("/{id}/stop", responses=responses(NotFound, GroupNotActive))
def stop_group(id: Id, session: WriteSession, context: ContextDep) -> ExperimentGroup:
    return service.stop(session, context, id)


@router.delete("/{id}", status_code=204, responses=responses(NotFound, GroupActive))
def delete_group(id: Id, session: WriteSession, context: ContextDep) -> None:
    service.delete(session, context, id)
