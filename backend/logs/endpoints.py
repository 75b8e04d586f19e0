"""Log lines over REST."""

from typing import Annotated

from fastapi import APIRouter, Query

from phylon.backend.dependencies import ReadSession
from phylon.backend.kit.errors import NotFound, responses
from phylon.backend.kit.parameters import After, Id, Number
from phylon.backend.logs import service
from phylon.contract.base import Page
from phylon.contract.logs import LoggedLine

router = APIRouter(prefix="/runs/{id}/logs", tags=["logs"])


@router.get("", responses=responses(NotFound))
def list_run_logs(
    id: Id,
    session: ReadSession,
    attempt: Number | None = None,
    after: After = None,
    limit: Annotated[int, Query(ge=1, le=10_000)] = 1000,
) -> Page[LoggedLine]:
    """In the order in which they were printed. A log may grow, so that `next` is never null."""
    return service.read(session, id, attempt=attempt, after=after, limit=limit)
