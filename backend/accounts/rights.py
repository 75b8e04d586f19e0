"""What a viewer may see and do: the one place that says so."""

from typing import Any, Protocol, TypeVarTuple

from sqlalchemy import Select, select
from sqlalchemy.orm import Session, object_session

from phylon.backend.accounts.viewer import Viewer
from phylon.backend.kit.errors import Forbidden
from phylon.backend.models import Artifact, Experiment, Group, Job, Membership, Payload, Run, User
from phylon.contract.vocabulary import Role

Columns = TypeVarTuple("Columns")

_ORDER = list(Role)


class Owned(Protocol):
    @property
    def owner_id(self) -> Any: ...
    @property
    def project_id(self) -> Any: ...


class NotYours(Forbidden):
    """Only its owner and admins of its project may do that."""

    def __init__(self, what: str, owner: str, admins: list[str]) -> None:
        able = f"{owner}, who owns it, or an admin of its project{_named(admins)}"
        super().__init__(
            f"You may see {what}, but not change it: it is not yours, or you are only a viewer of its project.",
            f"Ask {able}; a token needs the scope `admin` to act as one.",
        )


class AdminOnly(Forbidden):
    """Only admins of the service may do that."""

    def __init__(self) -> None:
        super().__init__(
            "Only admins of the service may do that.",
            "Ask one of them; a token of an admin needs the scope `admin`.",
        )


class ProjectAdminOnly(Forbidden):
    """Only admins of the project may do that."""

    def __init__(self, project: str, admins: list[str]) -> None:
        super().__init__(
            f"Only admins of project {project} may do that.",
            f"Ask one of them{_named(admins)}; a token of an admin needs the scope `admin`.",
        )


def visible(
    statement: Select[*Columns],
    viewer: Viewer,
    model: type[Experiment | Group | Job | Run | Payload | Artifact],
) -> Select[*Columns]:
    """The statement, limited to those rows of `model` that the viewer may see: those of their projects."""
    if viewer.is_admin:
        return statement
    projects = list(viewer.roles)
    if issubclass(model, Run | Payload | Artifact):
        return statement.where(model.job_id.in_(select(Job.id).where(Job.project_id.in_(projects))))
    return statement.where(model.project_id.in_(projects))


def has_role(viewer: Viewer, project_id: int, role: Role) -> bool:
    """This role or one above it."""
    if viewer.is_admin:
        return True
    held = viewer.roles.get(project_id)
    return held is not None and _ORDER.index(held) >= _ORDER.index(role)


def may_change(viewer: Viewer, thing: Owned) -> bool:
    """Members change what is their own, admins of the project everything."""
    own = thing.owner_id == viewer.user_id
    return has_role(viewer, thing.project_id, Role.MEMBER if own else Role.ADMIN)


def require_change(viewer: Viewer, thing: Owned, what: str) -> None:
    """`thing` is visible to the viewer already."""
    if not may_change(viewer, thing):
        session = object_session(thing)
        assert session is not None  # it was read just now
        owner = session.get_one(User, thing.owner_id).name
        raise NotYours(what, owner, admins_of(session, thing.project_id))


def require_admin(viewer: Viewer) -> None:
    if not viewer.is_admin:
        raise AdminOnly


def require_project_admin(session: Session, viewer: Viewer, project_id: int, name: str) -> None:
    if not has_role(viewer, project_id, Role.ADMIN):
        raise ProjectAdminOnly(name, admins_of(session, project_id))


def admins_of(session: Session, project_id: int) -> list[str]:
    """The names of those who are admins of the project and can sign in."""
    statement = (
        select(User.name)
        .join(Membership, Membership.user_id == User.id)
        .where(Membership.project_id == project_id, Membership.role == Role.ADMIN, User.disabled_at.is_(None))
        .where(User.password_hash.is_not(None))
        .order_by(User.id)
    )
    return list(session.scalars(statement))


def _named(names: list[str]) -> str:
    return f" ({', '.join(names)})" if names else ""
