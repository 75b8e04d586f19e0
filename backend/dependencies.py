"""What endpoints ask for: a session, the settings, who asks, proof of being a worker."""

from collections.abc import Callable, Iterator
from typing import Annotated, Any, TypeVar, cast

from fastapi import Depends, Request
from fastapi.security import HTTPAuthorizationCredentials, HTTPBearer
from sqlalchemy.orm import Session

from phylon.backend.accounts import authentication
from phylon.backend.accounts.authentication import SignInMissing
from phylon.backend.accounts.cookie import cookie_name
from phylon.backend.accounts.viewer import LOCAL_VIEWER, Caller, Viewer
from phylon.backend.context import Context
from phylon.backend.kit.errors import Conflict, Forbidden
from phylon.backend.kit.parameters import Id
from phylon.backend.models.credential import BROWSER_LENGTH
from phylon.backend.workers import credentials as worker_credentials
from phylon.contract.vocabulary import Scope

_READING = frozenset({"GET", "HEAD", "OPTIONS"})
_changing_nothing: set[Callable[..., Any]] = set()
Endpoint = TypeVar("Endpoint", bound=Callable[..., Any])


def changes_nothing(endpoint: Endpoint) -> Endpoint:
    """Marks an endpoint that is asked by POST only because the question is long: the scope `read` is enough for it."""
    _changing_nothing.add(endpoint)
    return endpoint


class ScopeMissing(Forbidden):
    """The token was not made for this."""

    def __init__(self, scope: Scope) -> None:
        super().__init__(
            f"This token does not have the scope `{scope}`.", f"Make one with `phylon tokens create --scope {scope}`."
        )


class AccountsOff(Conflict):
    """This service has no accounts."""

    def __init__(self) -> None:
        super().__init__(
            "This service has no accounts: everyone who reaches it may do everything.",
            "Start it with --public-url (PHYLON_PUBLIC_URL) to turn accounts on.",
        )


def get_context(request: Request) -> Context:
    return cast(Context, request.app.state.context)


ContextDep = Annotated[Context, Depends(get_context)]


def get_read_session(context: ContextDep) -> Iterator[Session]:
    with context.database.read() as session:
        yield session


def get_write_session(context: ContextDep) -> Iterator[Session]:
    with context.database.write() as session:
        yield session


# `scope="function"`: the transaction ends before the answer is sent, so a failed commit is never reported as a success
# and a client that got the answer finds the row.
ReadSession = Annotated[Session, Depends(get_read_session, scope="function")]
WriteSession = Annotated[Session, Depends(get_write_session, scope="function")]

_person = HTTPBearer(auto_error=False, scheme_name="token", description="A personal token; see `phylon tokens`.")
_worker = HTTPBearer(auto_error=False, scheme_name="worker_credential", description="What a worker got at enrolment.")


def get_address(request: Request) -> str | None:
    """The IP address that the request came from, as the proxy on this machine says where there is one."""
    return request.client.host if request.client else None


AddressDep = Annotated[str | None, Depends(get_address)]


def get_caller(request: Request, address: AddressDep) -> Caller:
    return Caller(address, request.headers.get("user-agent", "")[:BROWSER_LENGTH] or None)


CallerDep = Annotated[Caller, Depends(get_caller)]


def get_public_url(context: ContextDep) -> str:
    """For routes that mean nothing without accounts."""
    if context.settings.public_url is None:
        raise AccountsOff
    return context.settings.public_url


PublicUrlDep = Annotated[str, Depends(get_public_url)]


def get_viewer(
    request: Request,
    context: ContextDep,
    address: AddressDep,
    bearer: Annotated[HTTPAuthorizationCredentials | None, Depends(_person)],
) -> Viewer:
    """Who asks. The transactions of this are over before those of the endpoint begin."""
    public_url = context.settings.public_url
    if public_url is None:
        return LOCAL_VIEWER
    if bearer is not None:
        viewer = authentication.by_token(context, bearer.credentials, address)
    elif cookie := request.cookies.get(cookie_name(public_url)):
        viewer = authentication.by_cookie(context, cookie, address)
    else:
        raise SignInMissing
    is_reading = request.method in _READING or request.scope["endpoint"] in _changing_nothing
    needed = Scope.READ if is_reading else Scope.WRITE
    if needed not in viewer.scopes:
        raise ScopeMissing(needed)
    return viewer


ViewerDep = Annotated[Viewer, Depends(get_viewer)]


def require_worker(
    context: ContextDep, bearer: Annotated[HTTPAuthorizationCredentials | None, Depends(_worker)]
) -> int:
    """The number of the worker whose credential this is."""
    return worker_credentials.identify(context, bearer.credentials if bearer else "")


WorkerDep = Annotated[int, Depends(require_worker)]


def require_job_of_worker(id: Id, context: ContextDep, worker: WorkerDep) -> None:
    worker_credentials.require_job(context, worker, id)
