"""Turns whatever an endpoint raises into one shape of answer."""

from collections.abc import Sequence
from typing import Any

import structlog
from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from sqlalchemy.exc import DataError, OperationalError
from starlette.exceptions import HTTPException
from starlette.responses import Response

from phylon.backend.kit.errors import ErrorRead, PlatformError, ProblemRead

log: structlog.stdlib.BoundLogger = structlog.get_logger(__name__)


def install(app: FastAPI) -> None:
    app.add_exception_handler(PlatformError, _platform_error)
    app.add_exception_handler(RequestValidationError, _invalid_request)
    app.add_exception_handler(HTTPException, _http_error)
    app.add_exception_handler(OperationalError, _database_away)
    app.add_exception_handler(DataError, _unstorable)
    app.add_exception_handler(Exception, _unexpected)


def _answer(status: int, body: ErrorRead) -> Response:
    return Response(body.model_dump_json(), status, media_type="application/json")


async def _platform_error(request: Request, error: Exception) -> Response:
    assert isinstance(error, PlatformError)
    return _answer(error.status_code, error.body())


async def _invalid_request(request: Request, error: Exception) -> Response:
    assert isinstance(error, RequestValidationError)
    problems = [_problem(item) for item in error.errors()]
    detail = "; ".join(f"{problem.path}: {problem.message}" for problem in problems)
    remedy = "Compare the request with /api/docs; nothing was stored."
    return _answer(422, ErrorRead(detail=f"The request is not valid: {detail}.", remedy=remedy, problems=problems))


def _problem(item: dict[str, Any]) -> ProblemRead:
    location: Sequence[int | str] = item["loc"]
    value = item.get("input")
    short = value if isinstance(value, str | int | float | bool | None) else repr(value)[:200]
    return ProblemRead(
        path=".".join(str(part) for part in location), value=short, message=item["msg"], remedy="correct the value"
    )


async def _http_error(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    remedy = "See /api/docs for the addresses that exist." if error.status_code == 404 else None
    detail = f"{request.method} {request.url.path}: {error.detail}."
    return _answer(error.status_code, ErrorRead(detail=detail, remedy=remedy, problems=[]))


async def _database_away(request: Request, error: Exception) -> Response:
    log.warning("database_unavailable", path=request.url.path, error=str(getattr(error, "orig", error)))
    body = ErrorRead(
        detail="The database does not answer.",
        remedy="Try again shortly; if it stays so, look at the database and at the log of the API.",
        problems=[],
    )
    return _answer(503, body)


async def _unstorable(request: Request, error: Exception) -> Response:
    body = ErrorRead(
        detail="The request has a value that the database cannot hold, such as a NUL character.",
        remedy="Remove control characters and numbers beyond 64 bits; nothing was stored.",
        problems=[],
    )
    return _answer(422, body)


async def _unexpected(request: Request, error: Exception) -> Response:
    log.error("request_failed", path=request.url.path, exc_info=error)
    remedy = "This is a defect of Phylon: report it with the log of the API."
    return _answer(500, ErrorRead(detail="The service failed on this request.", remedy=remedy, problems=[]))
