"""Queries about saved views."""

from sqlalchemy import ColumnElement, or_, select
from sqlalchemy.orm import Session

from phylon.backend.accounts.viewer import Viewer
from phylon.backend.kit.errors import NotFound
from phylon.backend.models import View


def get(session: Session, viewer: Viewer, view_id: int) -> View:
    view = session.scalar(select(View).where(View.id == view_id, _is_visible(viewer)))
    if view is None:
        raise NotFound("view", view_id)
    return view


def visible_to(session: Session, viewer: Viewer) -> list[View]:
    return list(session.scalars(select(View).where(_is_visible(viewer)).order_by(View.id)))


def _is_visible(viewer: Viewer) -> ColumnElement[bool]:
    """An admin of the service sees those of all projects, but nobody else's own."""
    shared = View.project_id.is_not(None) if viewer.is_admin else View.project_id.in_(list(viewer.roles))
    return or_(View.owner_id == viewer.user_id, shared)
