"""Queries about projects and who belongs to them."""

from sqlalchemy import delete, select
from sqlalchemy.orm import Session

from phylon.backend.accounts.viewer import Viewer
from phylon.backend.kit.errors import NotFound
from phylon.backend.models import Membership, Project, User


def get(session: Session, viewer: Viewer, project_id: int) -> Project:
    project = session.get(Project, project_id)
    if project is None or not (viewer.is_admin or project_id in viewer.roles):
        raise NotFound("project", project_id)
    return project


def find_by_name(session: Session, name: str) -> Project | None:
    return session.scalar(select(Project).where(Project.name == name))


def known_to(session: Session, viewer: Viewer) -> list[Project]:
    statement = select(Project).order_by(Project.id)
    if not viewer.is_admin:
        statement = statement.where(Project.id.in_(list(viewer.roles)))
    return list(session.scalars(statement))


def members(session: Session, project_id: int) -> list[tuple[User, str]]:
    """With their roles."""
    statement = (
        select(User, Membership.role)
        .join(Membership, Membership.user_id == User.id)
        .where(Membership.project_id == project_id)
        .order_by(User.id)
    )
    return [(user, role) for user, role in session.execute(statement)]


def find_membership(session: Session, project_id: int, user_id: int) -> Membership | None:
    return session.get(Membership, (project_id, user_id))


def set_role(session: Session, project_id: int, user_id: int, role: str) -> None:
    session.merge(Membership(project_id=project_id, user_id=user_id, role=role))


def remove_member(session: Session, project_id: int, user_id: int) -> None:
    session.execute(delete(Membership).where(Membership.project_id == project_id, Membership.user_id == user_id))
