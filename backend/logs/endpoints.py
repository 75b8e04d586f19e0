"""Log lines over REST."""

from typing import Annotated

from fastapi import APIRouter, Query

from phylon.backend.dependencies import ReadSession
from phylon.backend.kit.errors import NotFound, responses
from phylon.backend.kit.parameters import Id, Offset
from phylon.backend.logs import service
from phylon.backend.logs.schemas import LogPage

router = APIRouter(prefix="/runs/{id}/logs", tags=["logs"])


@router.get("", responses=responses(NotFound))
def list_run_logs(
    id: Id,
    session: ReadSession,
    attempt: Offset | None = None,
    after: Offset = 0,
    limit: Annotated[int, Query(ge=1, le=10_000)] = 1000,
) -> LogPage:
    return service.read(session, id, attempt=attempt, after=after, limit=limit)
