"""Turns whatever an endpoint raises into a problem document."""

from collections.abc import Sequence
from http import HTTPStatus
from typing import Any

import structlog
from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from sqlalchemy.exc import DataError, OperationalError
from starlette.exceptions import HTTPException
from starlette.responses import Response

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


def install(app: FastAPI) -> None:
    app.add_exception_handler(PlatformError, _platform_error)
    app.add_exception_handler(RequestValidationError, _invalid_request)
    app.add_exception_handler(HTTPException, _http_error)
    app.add_exception_handler(OperationalError, _database_unavailable)
    app.add_exception_handler(DataError, _unstorable)
    app.add_exception_handler(Exception, _unexpected)


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
    value = item.get("input")
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


async def _unexpected(request: Request, error: Exception) -> Response:
    log.error("request_failed", path=request.url.path, exc_info=error)
    return UnexpectedFailure(
        "The service failed on this request.", "This is a defect of Phylon: report it with the log of the API."
    ).response()
