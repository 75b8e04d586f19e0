"""What endpoints ask for: a session, the settings, proof of being a worker."""

import hmac
from collections.abc import Iterator
from typing import Annotated, cast

from fastapi import Depends, Request
from fastapi.security import HTTPAuthorizationCredentials, HTTPBearer
from sqlalchemy.orm import Session

from phylon.backend.context import Context
from phylon.backend.kit.errors import Unauthorized


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

_bearer = HTTPBearer(auto_error=False, scheme_name="worker_token", description="The value of PHYLON_WORKER_TOKEN.")


def require_worker(
    context: ContextDep, credentials: Annotated[HTTPAuthorizationCredentials | None, Depends(_bearer)]
) -> None:
    expected = context.settings.worker_token
    if expected is None:
        raise Unauthorized("This service has no worker token.", "Start the API with PHYLON_WORKER_TOKEN set.")
    given = credentials.credentials if credentials else ""
    if not hmac.compare_digest(given.encode(), expected.encode()):
        raise Unauthorized(
            "The worker token is missing or wrong.",
            "Give worker and API the same PHYLON_WORKER_TOKEN; `phylon up` keeps it in PHYLON_HOME/worker-token.",
        )
