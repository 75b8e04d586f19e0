"""Errors that the API answers with, as the tree below. Each carries its HTTP status, what is wrong and a remedy.

PlatformError
├── NotFound            404
├── Conflict            409
│   └── StaleAttempt    409
├── Invalid             422   with a list of problems
├── Unauthorized        401
└── Forbidden           403

A folder's own errors subclass these next to the rule that raises them. The answer is a problem document (RFC 9457),
whose type and title are the name and the first line of the class. `responses` puts it into the OpenAPI document.
"""

import re
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from starlette.responses import Response

from phylon.contract.problems import MEDIA_TYPE, ProblemDocument
from phylon.spec import Problem


class PlatformError(Exception):
    status_code: ClassVar[int] = 500
    headers: Mapping[str, str] = {}

    def __init__(self, detail: str, remedy: str | None = None, problems: Sequence[Problem] = ()) -> None:
        super().__init__(detail)
        self.detail = detail
        self.remedy = remedy
        self.problems = list(problems)

    @classmethod
    def title(cls) -> str:
        return (cls.__doc__ or cls.__name__).strip().splitlines()[0]

    def response(self) -> Response:
        return problem_response(
            ProblemDocument(
                type=f"/problems/{re.sub('(?<=.)(?=[A-Z])', '-', type(self).__name__).lower()}",
                title=self.title(),
                status=self.status_code,
                detail=self.detail,
                remedy=self.remedy,
                problems=self.problems,
            ),
            self.headers,
        )


def problem_response(document: ProblemDocument, headers: Mapping[str, str] | None = None) -> Response:
    return Response(document.model_dump_json(), document.status, headers, media_type=MEDIA_TYPE)


class NotFound(PlatformError):
    """There is no such thing."""

    status_code = 404

    def __init__(self, noun: str, id: int) -> None:
        super().__init__(f"There is no {noun} {id}.", f"Look up the number of the {noun} in its list.")


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
    """Nobody is signed in, or the credential does not count."""

    status_code = 401
    headers = {"WWW-Authenticate": "Bearer"}  # noqa: RUF012


class Forbidden(PlatformError):
    """The viewer may see this, but not do it."""

    status_code = 403


def responses(*errors: type[PlatformError]) -> dict[int | str, dict[str, Any]]:
    """The OpenAPI entry of these errors, for a route's `responses`."""
    described: dict[int | str, dict[str, Any]] = {}
    for error in errors:
        entry = described.setdefault(error.status_code, {"model": ProblemDocument, "description": error.title()})
        if error.title() not in entry["description"]:
            entry["description"] += f" Or: {error.title()}"
    return described
