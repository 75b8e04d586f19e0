"""Invitations over REST."""

from fastapi import APIRouter, Depends, Response

from phylon.backend.accounts.codes import CodeInvalid
from phylon.backend.accounts.cookie import set_cookie
from phylon.backend.accounts.invitations import service
from phylon.backend.accounts.passwords import PasswordRefused
from phylon.backend.accounts.projects.service import ProjectUnknown
from phylon.backend.accounts.rights import ProjectAdminOnly
from phylon.backend.accounts.service import EmailTaken
from phylon.backend.dependencies import (
    AccountsOff,
    CallerDep,
    ContextDep,
    PublicUrlDep,
    ReadSession,
    ViewerDep,
    WriteSession,
    get_public_url,
)
from phylon.backend.kit.errors import NotFound, responses
from phylon.backend.kit.pages import page_of
from phylon.backend.kit.parameters import After, Id, Limit
from phylon.contract.accounts import Invitation, InvitationAcceptance, InvitationRequest, Me, NewInvitation
from phylon.contract.base import Page

open_router = APIRouter(prefix="/accounts/invitations", tags=["accounts"], responses=responses(AccountsOff))
"""For those who are not signed in yet."""
router = APIRouter(
    prefix="/accounts/invitations",
    tags=["accounts"],
    dependencies=[Depends(get_public_url)],
    responses=responses(AccountsOff),
)


@open_router.post("/accept", status_code=201, responses=responses(CodeInvalid, PasswordRefused, EmailTaken))
def accept_invitation(
    body: InvitationAcceptance, context: ContextDep, public_url: PublicUrlDep, caller: CallerDep, response: Response
) -> Me:
    """Sets name and password, and signs in."""
    signed_in = service.accept(context, body, caller)
    set_cookie(response, public_url, signed_in.secret)
    return signed_in.me


@router.post("", status_code=201, responses=responses(ProjectAdminOnly, ProjectUnknown, EmailTaken))
def create_invitation(
    body: InvitationRequest, session: WriteSession, viewer: ViewerDep, public_url: PublicUrlDep
) -> NewInvitation:
    """Its link is shown in this answer and never again; it works once, within 72 hours."""
    return service.create(session, viewer, public_url, body)


@router.get("")
def list_invitations(
    session: ReadSession, viewer: ViewerDep, limit: Limit = 500, after: After = None
) -> Page[Invitation]:
    """That wait to be accepted, in the projects of which the viewer is an admin."""
    return page_of(service.list_all(session, viewer), limit, after, key=lambda invitation: invitation.id)


@router.delete("/{id}", status_code=204, responses=responses(NotFound))
def withdraw_invitation(id: Id, session: WriteSession, viewer: ViewerDep) -> None:
    service.withdraw(session, viewer, id)
