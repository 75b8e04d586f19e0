"""Groups of experiments over REST."""

from typing import Annotated

from fastapi import APIRouter, Query

from phylon.backend.dependencies import ContextDep, ReadSession, WriteSession
from phylon.backend.groups import service
from phylon.backend.groups.schemas import GroupFromSpec, GroupFromYaml, GroupPage, GroupRead
from phylon.backend.groups.service import GroupActive, GroupNotActive
from phylon.backend.kit.errors import Invalid, NotFound, responses
from phylon.backend.kit.parameters import Id, Offset

router = APIRouter(prefix="/groups", tags=["groups"])


@router.post("", status_code=201, responses=responses(Invalid))
def create_group(body: GroupFromSpec | GroupFromYaml, session: WriteSession, context: ContextDep) -> GroupRead:
    """All experiments of it are stored, or none."""
    return service.create(session, context, body)


@router.get("")
def list_groups(
    session: ReadSession, limit: Annotated[int, Query(ge=1, le=500)] = 100, offset: Offset = 0
) -> GroupPage:
    return service.list_page(session, limit, offset)


@router.get("/{id}", responses=responses(NotFound))
def get_group(id: Id, session: ReadSession) -> GroupRead:
    return service.get(session, id)


@router.post("/{id}/stop", responses=responses(NotFound, GroupNotActive))
def stop_group(id: Id, session: WriteSession, context: ContextDep) -> GroupRead:
    return service.stop(session, context, id)


@router.delete("/{id}", status_code=204, responses=responses(NotFound, GroupActive))
def delete_group(id: Id, session: WriteSession, context: ContextDep) -> None:
    service.delete(session, context, id)
