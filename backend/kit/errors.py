"""Errors that the API answers with, as the tree below. Each carries its HTTP status, what is wrong and a remedy.

PlatformError
├── NotFound            404
├── Conflict            409
│   └── StaleAttempt    409
├── Invalid             422   with a list of problems
└── Unauthorized        401

A folder's own errors subclass these next to the rule that raises them. `responses` puts them into the OpenAPI document.
"""

from collections.abc import Sequence
from typing import Any, ClassVar

from phylon.backend.kit.schema import Schema
from phylon.spec import Problem


class ProblemRead(Schema):
    """One thing that is wrong with what was sent."""

    path: str
    value: Any
    message: str
    remedy: str


class ErrorRead(Schema):
    """The body of every answer that is not a success."""

    detail: str
    remedy: str | None
    problems: list[ProblemRead]


class PlatformError(Exception):
    status_code: ClassVar[int] = 500

    def __init__(self, detail: str, remedy: str | None = None, problems: Sequence[Problem] = ()) -> None:
        super().__init__(detail)
        self.detail = detail
        self.remedy = remedy
        self.problems = list(problems)

    def body(self) -> ErrorRead:
        problems = [ProblemRead(**problem) for problem in self.problems]
        return ErrorRead(detail=self.detail, remedy=self.remedy, problems=problems)


class NotFound(PlatformError):
    """There is no such thing."""

    status_code = 404

    def __init__(self, noun: str, id: int) -> None:
        super().__init__(f"There is no {noun} {id}.", f"List the {noun}s that exist.")


class Conflict(PlatformError):
    """The state of the thing does not allow this."""

    status_code = 409


class StaleAttempt(Conflict):
    """A newer attempt owns the job, or this one was given up: nothing was written."""

    def __init__(self, job_id: int, attempt: int, reason: str) -> None:
        super().__init__(
            f"Attempt {attempt} of job {job_id} may no longer write: {reason}.",
            "Stop the process of this attempt; the job goes on elsewhere or has ended.",
        )


class Invalid(PlatformError):
    """What was sent is not valid; nothing was stored."""

    status_code = 422


class Unauthorized(PlatformError):
    """The worker token is missing or wrong."""

    status_code = 401


def responses(*errors: type[PlatformError]) -> dict[int | str, dict[str, Any]]:
    """The OpenAPI entry of these errors, for a route's `responses`."""
    described: dict[int | str, dict[str, Any]] = {}
    for error in errors:
        summary = (error.__doc__ or error.__name__).strip().splitlines()[0]
        entry = described.setdefault(error.status_code, {"model": ErrorRead, "description": summary})
        if summary not in entry["description"]:
            entry["description"] += f" Or: {summary}"
    return described
