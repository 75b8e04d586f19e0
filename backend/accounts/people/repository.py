"""Queries about people."""

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from phylon.backend.accounts.viewer import Viewer
from phylon.backend.kit.errors import NotFound
from phylon.backend.models import Membership, User


def get(session: Session, user_id: int) -> User:
    """One who can sign in, or could."""
    user = session.scalar(select(User).where(User.id == user_id, User.password_hash.is_not(None)))
    if user is None:
        raise NotFound("person", user_id)
    return user


def known_to(session: Session, viewer: Viewer) -> list[User]:
    """Admins know everyone, others those with whom they share a project, and themselves."""
    statement = select(User).where(User.password_hash.is_not(None)).order_by(User.id)
    if not viewer.is_admin:
        colleagues = select(Membership.user_id).where(Membership.project_id.in_(list(viewer.roles)))
        statement = statement.where(User.id.in_(colleagues) | (User.id == viewer.user_id))
    return list(session.scalars(statement))


def count_able_admins(session: Session) -> int:
    """Locks them, so that two admins cannot disable each other at the same moment."""
    able = (User.is_admin, User.password_hash.is_not(None), User.disabled_at.is_(None))
    locked = select(User.id).where(*able).order_by(User.id).with_for_update().subquery()
    return session.scalar(select(func.count()).select_from(locked)) or 0
