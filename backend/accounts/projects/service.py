"""Rules about projects: who makes one, who belongs to it, and to which one something new belongs."""

from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Session

from phylon.backend.accounts import audit
from phylon.backend.accounts import repository as accounts
from phylon.backend.accounts.projects import repository
from phylon.backend.accounts.rights import admins_of, has_role, require_admin, require_project_admin
from phylon.backend.accounts.viewer import Owner, Viewer
from phylon.backend.kit import clock
from phylon.backend.kit.errors import Conflict, Forbidden, Invalid, NotFound
from phylon.backend.models import Project
from phylon.contract.accounts import Member, MemberRequest, ProjectRequest, ProjectShare
from phylon.contract.accounts import Project as ProjectRead
from phylon.contract.vocabulary import Role


class ProjectExists(Conflict):
    """There is a project of this name already."""

    def __init__(self, name: str) -> None:
        super().__init__(f"There is a project named {name} already.", "Choose another name.")


class ProjectUnknown(Invalid):
    """There is no such project, or the viewer does not belong to it; nothing was stored."""

    def __init__(self, name: str, names: list[str]) -> None:
        own = f"Name one of yours: {', '.join(names)}." if names else "Ask an admin to add you to a project."
        super().__init__(f"You belong to no project named '{name}'.", own)


class NotMember(Forbidden):
    """Only members of a project may submit to it."""

    def __init__(self, where: str, admins: list[str]) -> None:
        named = f" ({', '.join(admins)})" if admins else ""
        super().__init__(
            f"You may not submit to {where}.",
            f"Ask an admin of the project{named} for the role `member`, or name another one.",
        )


class PersonUnknown(Invalid):
    """Nobody has an account with this e-mail address."""

    def __init__(self, email: str) -> None:
        super().__init__(f"Nobody has an account with the address {email}.", "Invite them: `phylon people invite`.")


def owner_of_new(session: Session, viewer: Viewer, name: str | None) -> Owner:
    """To whom something that the viewer submits belongs. Without a name, to their first project as a member."""
    if name is None:
        first = next((id for id in sorted(viewer.roles) if has_role(viewer, id, Role.MEMBER)), None)
        if first is None:
            admins = [name for id in viewer.roles for name in admins_of(session, id)]
            raise NotMember("any project", list(dict.fromkeys(admins)))
        return Owner(viewer.user_id, first)
    project = repository.find_by_name(session, name)
    if project is None or not (viewer.is_admin or project.id in viewer.roles):
        raise ProjectUnknown(name, [known.name for known in repository.known_to(session, viewer)])
    if not has_role(viewer, project.id, Role.MEMBER):
        raise NotMember(f"project {name}", admins_of(session, project.id))
    return Owner(viewer.user_id, project.id)


def list_all(session: Session, viewer: Viewer) -> list[ProjectRead]:
    return [_read(project, viewer) for project in repository.known_to(session, viewer)]


def create(session: Session, viewer: Viewer, body: ProjectRequest) -> ProjectRead:
    require_admin(viewer)
    project = Project(name=body.name, created_at=clock.now())
    _store(session, project, body.name)
    audit.record(session, viewer, "project.create", f"project {project.id}", project_id=project.id, name=body.name)
    return _read(project, viewer)


def rename(session: Session, viewer: Viewer, project_id: int, body: ProjectRequest) -> ProjectRead:
    project = repository.get(session, viewer, project_id)
    require_project_admin(session, viewer, project_id, project.name)
    change = {"old": project.name, "new": body.name}
    audit.record(session, viewer, "project.rename", f"project {project_id}", project_id=project_id, **change)
    project.name = body.name
    _store(session, project, body.name)
    return _read(project, viewer)


def share(session: Session, viewer: Viewer, project_id: int, body: ProjectShare) -> ProjectRead:
    project = repository.get(session, viewer, project_id)
    require_admin(viewer)
    for field, value in body.model_dump().items():
        setattr(project, field, value)
    detail = body.model_dump()
    audit.record(session, viewer, "project.share", f"project {project_id}", project_id=project_id, **detail)
    return _read(project, viewer)


def list_members(session: Session, viewer: Viewer, project_id: int) -> list[Member]:
    repository.get(session, viewer, project_id)
    return [
        Member(id=user.id, name=user.name, email=user.email, role=Role(role))
        for user, role in repository.members(session, project_id)
    ]


def set_member(session: Session, viewer: Viewer, project_id: int, body: MemberRequest) -> Member:
    project = repository.get(session, viewer, project_id)
    require_project_admin(session, viewer, project_id, project.name)
    user = accounts.find_user_by_email(session, body.email)
    if user is None:
        raise PersonUnknown(body.email)
    repository.set_role(session, project_id, user.id, body.role)
    audit.record(session, viewer, "member.set", f"person {user.id}", project_id=project_id, role=body.role)
    return Member(id=user.id, name=user.name, email=user.email, role=body.role)


def remove_member(session: Session, viewer: Viewer, project_id: int, user_id: int) -> None:
    """What they own stays in the project."""
    project = repository.get(session, viewer, project_id)
    require_project_admin(session, viewer, project_id, project.name)
    if repository.find_membership(session, project_id, user_id) is None:
        raise NotFound(f"member of project {project_id}:", user_id)
    repository.remove_member(session, project_id, user_id)
    audit.record(session, viewer, "member.remove", f"person {user_id}", project_id=project_id)


def _store(session: Session, project: Project, name: str) -> None:
    try:
        with session.begin_nested():
            session.add(project)
    except IntegrityError:
        raise ProjectExists(name) from None


def _read(project: Project, viewer: Viewer) -> ProjectRead:
    return ProjectRead(
        id=project.id,
        name=project.name,
        created_at=project.created_at,
        weight=project.weight,
        max_running=project.max_running,
        weekly_device_hours=project.weekly_device_hours,
        allows_preemption=project.allows_preemption,
        role=viewer.roles.get(project.id),
    )
