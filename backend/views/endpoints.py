"""Saved views of the experiments table over REST."""

from fastapi import APIRouter

from phylon.backend.accounts.projects.service import NotMember
from phylon.backend.accounts.rights import NotYours
from phylon.backend.dependencies import ReadSession, ViewerDep, WriteSession
from phylon.backend.experiments.table import ColumnRefused, QueryRefused
from phylon.backend.idempotency import OnceDep
from phylon.backend.kit.errors import NotFound, responses
from phylon.backend.kit.pages import page_of
from phylon.backend.kit.parameters import After, Id, Limit
from phylon.backend.views import service
from phylon.contract.base import Page
from phylon.contract.views import NewView, SavedView, ViewChange

router = APIRouter(prefix="/views", tags=["views"])


@router.post("", status_code=201, responses=responses(QueryRefused, ColumnRefused, NotMember))
def create_view(body: NewView, session: WriteSession, viewer: ViewerDep, once: OnceDep) -> SavedView:
    return once(body, SavedView, lambda: service.create(session, viewer, body))


@router.get("")
def list_views(session: ReadSession, viewer: ViewerDep, limit: Limit = 500, after: After = None) -> Page[SavedView]:
    """One's own, and those of one's projects."""
    return page_of(service.list_all(session, viewer), limit, after, key=lambda view: view.id)


@router.patch("/{id}", responses=responses(NotFound, NotYours, QueryRefused, ColumnRefused))
def change_view(id: Id, body: ViewChange, session: WriteSession, viewer: ViewerDep) -> SavedView:
    return service.change(session, viewer, id, body)


@router.delete("/{id}", status_code=204, responses=responses(NotFound, NotYours))
def delete_view(id: Id, session: WriteSession, viewer: ViewerDep) -> None:
    service.delete(session, viewer, id)
