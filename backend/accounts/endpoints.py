"""Who one is: signing in and out, the first admin, one's password."""

from fastapi import APIRouter, Request, Response

from phylon.backend.accounts import service
from phylon.backend.accounts.codes import CodeInvalid
from phylon.backend.accounts.cookie import clear_cookie, cookie_name, set_cookie
from phylon.backend.accounts.passwords import PasswordRefused
from phylon.backend.accounts.service import PasswordWrong, SignedIn, SignInRefused
from phylon.backend.accounts.throttle import TooManyTries
from phylon.backend.dependencies import (
    AccountsOff,
    CallerDep,
    ContextDep,
    PublicUrlDep,
    ReadSession,
    ViewerDep,
    WriteSession,
)
from phylon.backend.kit.errors import Unauthorized, responses
from phylon.contract.accounts import (
    FirstAdminRequest,
    LinkRequest,
    Me,
    OneTimeLink,
    PasswordChange,
    PasswordReset,
    SignInRequest,
)

open_router = APIRouter(prefix="/accounts", tags=["accounts"])
"""For those who are not signed in yet."""
router = APIRouter(prefix="/accounts", tags=["accounts"])


@open_router.post("/first-admin", status_code=201, responses=responses(AccountsOff, CodeInvalid, PasswordRefused))
def create_first_admin(
    body: FirstAdminRequest, context: ContextDep, public_url: PublicUrlDep, caller: CallerDep, response: Response
) -> Me:
    """With the code of the link that the service printed at its start. Signs in."""
    return _keep(response, public_url, service.make_first_admin(context, body, caller))


@open_router.post("/sign-in", responses=responses(AccountsOff, SignInRefused, TooManyTries))
def sign_in(
    body: SignInRequest, context: ContextDep, public_url: PublicUrlDep, caller: CallerDep, response: Response
) -> Me:
    """Answers with a cookie. Each failed try makes the next one wait, twice as long each time."""
    return _keep(response, public_url, service.sign_in(context, body, caller))


@open_router.post("/sign-out", status_code=204, responses=responses(AccountsOff))
def sign_out(
    request: Request, session: WriteSession, public_url: PublicUrlDep, caller: CallerDep, response: Response
) -> None:
    """Ends what the request came with: the sign-in of a cookie, or a token. Harmless for those who bring neither."""
    scheme, _, token = request.headers.get("authorization", "").partition(" ")
    if scheme.lower() == "bearer":
        service.give_up_token(session, token, caller)
        return
    service.sign_out(session, request.cookies.get(cookie_name(public_url), ""), caller)
    clear_cookie(response, public_url)


@open_router.post("/links/read", responses=responses(AccountsOff, CodeInvalid))
def read_link(body: LinkRequest, session: WriteSession, public_url: PublicUrlDep) -> OneTimeLink:
    """What a one-time link is good for, without using it up."""
    del public_url  # there are links only where there are accounts
    return service.read_link(session, body)


@open_router.post("/password-reset", responses=responses(AccountsOff, CodeInvalid, PasswordRefused))
def reset_password(
    body: PasswordReset, context: ContextDep, public_url: PublicUrlDep, caller: CallerDep, response: Response
) -> Me:
    """With the code of a link that an admin made. Ends all sign-ins of the person, and signs in."""
    return _keep(response, public_url, service.reset_password(context, body, caller))


@router.get("/me", responses=responses(Unauthorized))
def get_me(session: ReadSession, context: ContextDep, viewer: ViewerDep) -> Me:
    return service.read_me(session, context, viewer)


@router.put("/password", responses=responses(AccountsOff, PasswordRefused, PasswordWrong, TooManyTries))
def change_password(
    body: PasswordChange,
    context: ContextDep,
    public_url: PublicUrlDep,
    viewer: ViewerDep,
    caller: CallerDep,
    response: Response,
) -> Me:
    """Ends all other sign-ins. Tokens stay."""
    return _keep(response, public_url, service.change_password(context, viewer, body, caller))


def _keep(response: Response, public_url: str, signed_in: SignedIn) -> Me:
    set_cookie(response, public_url, signed_in.secret)
    return signed_in.me
