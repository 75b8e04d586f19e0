"""Sign-ins over REST. Everyone sees and ends their own."""

from typing import Annotated

from fastapi import APIRouter, Path, Request

from phylon.backend.accounts.cookie import cookie_name
from phylon.backend.accounts.sign_ins import service
from phylon.backend.accounts.sign_ins.service import ID_LENGTH, SignInUnknown
from phylon.backend.dependencies import AccountsOff, PublicUrlDep, ReadSession, ViewerDep, WriteSession
from phylon.backend.kit.errors import responses
from phylon.backend.kit.pages import page_of
from phylon.backend.kit.parameters import After, Limit
from phylon.contract.accounts import SignIn
from phylon.contract.base import Page

router = APIRouter(prefix="/accounts/sign-ins", tags=["accounts"], responses=responses(AccountsOff))

SignInId = Annotated[str, Path(pattern=rf"^[0-9a-f]{{{ID_LENGTH}}}$")]


@router.get("")
def list_sign_ins(
    request: Request,
    session: ReadSession,
    viewer: ViewerDep,
    public_url: PublicUrlDep,
    limit: Limit = 500,
    after: After = None,
) -> Page[SignIn]:
    """The newest first."""
    secret = request.cookies.get(cookie_name(public_url), "")
    return page_of(service.list_all(session, viewer, secret), limit, after)


@router.delete("/{id}", status_code=204, responses=responses(SignInUnknown))
def end_sign_in(id: SignInId, session: WriteSession, viewer: ViewerDep, public_url: PublicUrlDep) -> None:
    """That browser must sign in again."""
    del public_url  # there are sign-ins only where there are accounts
    service.end(session, viewer, id)
