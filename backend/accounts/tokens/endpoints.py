"""Personal tokens over REST. Everyone sees and revokes their own."""

from fastapi import APIRouter, Depends

from phylon.backend.accounts.tokens import service
from phylon.backend.accounts.tokens.service import ScopeBeyond
from phylon.backend.dependencies import AccountsOff, ReadSession, ViewerDep, WriteSession, get_public_url
from phylon.backend.kit.errors import NotFound, responses
from phylon.backend.kit.pages import page_of
from phylon.backend.kit.parameters import After, Id, Limit
from phylon.contract.accounts import NewToken, Token, TokenRequest
from phylon.contract.base import Page

router = APIRouter(
    prefix="/accounts/tokens",
    tags=["accounts"],
    dependencies=[Depends(get_public_url)],
    responses=responses(AccountsOff),
)


@router.post("", status_code=201, responses=responses(ScopeBeyond))
def create_token(body: TokenRequest, session: WriteSession, viewer: ViewerDep) -> NewToken:
    """Its secret is shown in this answer and never again."""
    return service.create(session, viewer, body)


@router.get("")
def list_tokens(session: ReadSession, viewer: ViewerDep, limit: Limit = 500, after: After = None) -> Page[Token]:
    return page_of(service.list_all(session, viewer), limit, after, key=lambda token: token.id)


@router.delete("/{id}", status_code=204, responses=responses(NotFound))
def revoke_token(id: Id, session: WriteSession, viewer: ViewerDep) -> None:
    service.revoke(session, viewer, id)
