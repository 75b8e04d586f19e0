"""Rules about saved views: one's own are for oneself, those of a project for its members to see."""

from sqlalchemy.orm import Session

from phylon.backend.accounts import audit
from phylon.backend.accounts.projects.service import owner_of_new
from phylon.backend.accounts.rights import NotYours, admins_of, has_role
from phylon.backend.accounts.viewer import Viewer
from phylon.backend.experiments import table
from phylon.backend.kit import clock
from phylon.backend.models import View
from phylon.backend.views import repository
from phylon.contract.accounts import PersonName, ProjectName
from phylon.contract.views import NewView, SavedView, ViewChange, ViewLayout
from phylon.contract.vocabulary import Role


def create(session: Session, viewer: Viewer, body: NewView) -> SavedView:
    _check(body.query, body.layout)
    view = View(
        owner_id=viewer.user_id,
        project_id=None if body.project is None else owner_of_new(session, viewer, body.project).project_id,
        name=body.name,
        query=body.query,
        layout=body.layout.model_dump(),
        created_at=clock.now(),
    )
    session.add(view)
    session.flush()
    _record(session, viewer, view, "create")
    session.refresh(view)
    return read(view)


def list_all(session: Session, viewer: Viewer) -> list[SavedView]:
    return [read(view) for view in repository.visible_to(session, viewer)]


def change(session: Session, viewer: Viewer, view_id: int, body: ViewChange) -> SavedView:
    view = _to_change(session, viewer, view_id)
    _check(body.query, body.layout)
    if body.name is not None:
        view.name = body.name
    if body.query is not None:
        view.query = body.query
    if body.layout is not None:
        view.layout = body.layout.model_dump()
    _record(session, viewer, view, "change")
    return read(view)


def delete(session: Session, viewer: Viewer, view_id: int) -> None:
    view = _to_change(session, viewer, view_id)
    _record(session, viewer, view, "delete")
    session.delete(view)


def _check(query: str | None, layout: ViewLayout | None) -> None:
    """What the table could not show is not saved."""
    columns = [] if layout is None else [name for name in layout.columns if name not in table.DRAWN]
    table.check(query, columns if layout is None else [*columns, layout.sort, layout.group_by])


def _to_change(session: Session, viewer: Viewer, view_id: int) -> View:
    view = repository.get(session, viewer, view_id)
    is_leader = view.project_id is not None and has_role(viewer, view.project_id, Role.ADMIN)
    if view.owner_id != viewer.user_id and not is_leader:
        admins = [] if view.project_id is None else admins_of(session, view.project_id)
        raise NotYours(f"view {view_id}", view.owner.name, admins)
    return view


def _record(session: Session, viewer: Viewer, view: View, verb: str) -> None:
    audit.record(session, viewer, f"view.{verb}", f"view {view.id}", project_id=view.project_id, name=view.name)


def read(view: View) -> SavedView:
    return SavedView(
        id=view.id,
        name=view.name,
        query=view.query,
        layout=ViewLayout.model_validate(view.layout),
        owner=PersonName(id=view.owner.id, name=view.owner.name),
        project=None if view.project is None else ProjectName(id=view.project.id, name=view.project.name),
        created_at=view.created_at,
    )
