"""Projects over REST: their names, members, and shares of the queue."""

from fastapi import APIRouter

from phylon.backend.accounts.projects import service
from phylon.backend.accounts.projects.service import PersonUnknown, ProjectExists
from phylon.backend.accounts.rights import AdminOnly, ProjectAdminOnly
from phylon.backend.dependencies import ReadSession, ViewerDep, WriteSession
from phylon.backend.kit.errors import NotFound, responses
from phylon.backend.kit.pages import page_of
from phylon.backend.kit.parameters import After, Id, Limit
from phylon.contract.accounts import Member, MemberRequest, Project, ProjectRequest, ProjectShare
from phylon.contract.base import Page

router = APIRouter(prefix="/accounts/projects", tags=["accounts"])


@router.get("")
def list_projects(session: ReadSession, viewer: ViewerDep, limit: Limit = 500, after: After = None) -> Page[Project]:
    """Those to which the viewer belongs; all of them for admins of the service."""
    return page_of(service.list_all(session, viewer), limit, after, key=lambda project: project.id)


@router.post("", status_code=201, responses=responses(AdminOnly, ProjectExists))
def create_project(body: ProjectRequest, session: WriteSession, viewer: ViewerDep) -> Project:
    return service.create(session, viewer, body)


@router.patch("/{id}", responses=responses(NotFound, ProjectAdminOnly, ProjectExists))
def rename_project(id: Id, body: ProjectRequest, session: WriteSession, viewer: ViewerDep) -> Project:
    return service.rename(session, viewer, id, body)


@router.put("/{id}/share", responses=responses(NotFound, AdminOnly))
def share_project(id: Id, body: ProjectShare, session: WriteSession, viewer: ViewerDep) -> Project:
    """Its weight and quotas in the queue."""
    return service.share(session, viewer, id, body)


@router.get("/{id}/members", responses=responses(NotFound))
def list_members(
    id: Id, session: ReadSession, viewer: ViewerDep, limit: Limit = 500, after: After = None
) -> Page[Member]:
    return page_of(service.list_members(session, viewer, id), limit, after, key=lambda member: member.id)


@router.put("/{id}/members", responses=responses(NotFound, ProjectAdminOnly, PersonUnknown))
def set_member(id: Id, body: MemberRequest, session: WriteSession, viewer: ViewerDep) -> Member:
    """Adds someone who has an account, or changes their role."""
    return service.set_member(session, viewer, id, body)


@router.delete("/{id}/members/{person}", status_code=204, responses=responses(NotFound, ProjectAdminOnly))
def remove_member(id: Id, person: Id, session: WriteSession, viewer: ViewerDep) -> None:
    service.remove_member(session, viewer, id, person)
