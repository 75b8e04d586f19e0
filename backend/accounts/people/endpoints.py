"""People over REST."""

from fastapi import APIRouter, Depends

from phylon.backend.accounts.people import service
from phylon.backend.accounts.people.service import LastAdmin, PersonDisabled
from phylon.backend.accounts.rights import AdminOnly
from phylon.backend.dependencies import (
    AccountsOff,
    PublicUrlDep,
    ReadSession,
    ViewerDep,
    WriteSession,
    get_public_url,
)
from phylon.backend.kit.errors import NotFound, responses
from phylon.backend.kit.pages import page_of
from phylon.backend.kit.parameters import After, Id, Limit
from phylon.contract.accounts import Person, PersonChange, ResetLink
from phylon.contract.base import Page

router = APIRouter(
    prefix="/accounts/people",
    tags=["accounts"],
    dependencies=[Depends(get_public_url)],
    responses=responses(AccountsOff),
)


@router.get("")
def list_people(session: ReadSession, viewer: ViewerDep, limit: Limit = 500, after: After = None) -> Page[Person]:
    """Everyone for admins of the service; for others those with whom they share a project."""
    return page_of(service.list_all(session, viewer), limit, after, key=lambda person: person.id)


@router.patch("/{id}", responses=responses(NotFound, AdminOnly, LastAdmin))
def change_person(id: Id, body: PersonChange, session: WriteSession, viewer: ViewerDep) -> Person:
    return service.change(session, viewer, id, body)


@router.post("/{id}/reset-link", status_code=201, responses=responses(NotFound, AdminOnly, PersonDisabled))
def create_reset_link(id: Id, session: WriteSession, viewer: ViewerDep, public_url: PublicUrlDep) -> ResetLink:
    """Lets this person choose a new password, once, within 24 hours. Links made before count no more."""
    return service.make_reset_link(session, viewer, public_url, id)
