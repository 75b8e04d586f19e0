"""Turns whatever an endpoint raises into a problem document."""

from collections.abc import Sequence
from http import HTTPStatus
from typing import Any

import structlog
from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from sqlalchemy.exc import DataError, OperationalError
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from phylon.backend.kit.errors import Invalid, PlatformError, problem_response
from phylon.contract.problems import ProblemDocument
from phylon.spec import Problem

log: structlog.stdlib.BoundLogger = structlog.get_logger(__name__)


class RequestInvalid(Invalid):
    """The request does not have the form that its route expects."""


class ValueUnstorable(Invalid):
    """The request has a value that the database cannot hold."""


class DatabaseUnavailable(PlatformError):
    """The database does not answer."""

    status_code = 503


class UnexpectedFailure(PlatformError):
    """The service failed on this request."""


_UNEXPECTED = UnexpectedFailure(
    "The service failed on this request.", "This is a defect of Phylon: report it with the log of the API."
)


class UnexpectedFailures:
    """Answers what no handler knows. Unlike the framework's own, it stands within the other middleware, so that its
    answers carry their headers and are counted and logged like any other."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        has_begun = False

        async def relay(message: Message) -> None:
            nonlocal has_begun
            has_begun = True
            await send(message)

        try:
            await self._app(scope, receive, relay)
        except Exception as error:
            if scope["type"] != "http" or has_begun:
                raise  # the connection breaks off, which is all that can be said now
            log.error("request_failed", path=scope["path"], exc_info=error)
            await _UNEXPECTED.response()(scope, receive, send)


def install(app: FastAPI) -> None:
    app.add_exception_handler(PlatformError, _platform_error)
    app.add_exception_handler(RequestValidationError, _invalid_request)
    app.add_exception_handler(HTTPException, _http_error)
    app.add_exception_handler(OperationalError, _database_unavailable)
    app.add_exception_handler(DataError, _unstorable)
    app.add_exception_handler(ClientDisconnect, _client_gone)


async def _platform_error(request: Request, error: Exception) -> Response:
    assert isinstance(error, PlatformError)
    return error.response()


async def _invalid_request(request: Request, error: Exception) -> Response:
    assert isinstance(error, RequestValidationError)
    problems = [_problem(item) for item in error.errors()]
    detail = "; ".join(f"{problem['path']}: {problem['message']}" for problem in problems)
    remedy = "Compare the request with /api/docs; nothing was stored."
    return RequestInvalid(f"The request is not valid: {detail}.", remedy, problems).response()


def _problem(item: dict[str, Any]) -> Problem:
    location: Sequence[int | str] = item["loc"]
    value = None if item["type"] == "missing" else item.get("input")  # else all that surrounds it, secrets included
    short = value if isinstance(value, str | int | float | bool | None) else repr(value)[:200]
    return Problem(
        path=".".join(str(part) for part in location), value=short, message=item["msg"], remedy="correct the value"
    )


async def _http_error(request: Request, error: Exception) -> Response:
    """Of the framework: its status says all, so the document has no type of its own."""
    assert isinstance(error, HTTPException)
    document = ProblemDocument(
        type="about:blank",
        title=HTTPStatus(error.status_code).phrase,
        status=error.status_code,
        detail=f"{request.method} {request.url.path}: {error.detail}.",
        remedy="See /api/docs for the addresses that exist." if error.status_code == 404 else None,
        problems=[],
    )
    return problem_response(document)


async def _database_unavailable(request: Request, error: Exception) -> Response:
    log.warning("database_unavailable", path=request.url.path, error=str(getattr(error, "orig", error)))
    return DatabaseUnavailable(
        "The database does not answer.",
        "Try again shortly; if it stays so, look at the database and at the log of the API.",
    ).response()


async def _unstorable(request: Request, error: Exception) -> Response:
    return ValueUnstorable(
        "The request has a value that the database cannot hold, such as a NUL character.",
        "Remove control characters and numbers beyond 64 bits; nothing was stored.",
    ).response()


async def _client_gone(request: Request, error: Exception) -> Response:
    """A client that left in the middle of a request reads no answer, and there is nothing to report of it."""
    log.info("client_gone", path=request.url.path)
    return Response(status_code=HTTPStatus.BAD_REQUEST)
