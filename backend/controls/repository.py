"""Queries about groups of controls."""

from sqlalchemy import select
from sqlalchemy.orm import Session

from phylon.backend.accounts.rights import visible
from phylon.backend.accounts.viewer import Viewer
from phylon.backend.models import ControlGroup, Group


def add(session: Session, group_id: int, run_id: int) -> None:
    session.add(ControlGroup(group_id=group_id, run_id=run_id))
    session.flush()


def newest_of_run(session: Session, viewer: Viewer, run_id: int) -> int | None:
    """The number of the group, among those that the viewer sees."""
    statement = select(Group.id).join(ControlGroup, ControlGroup.group_id == Group.id)
    statement = statement.where(ControlGroup.run_id == run_id).order_by(Group.id.desc()).limit(1)
    return session.scalar(visible(statement, viewer, Group))
