"""Log lines over REST."""

from typing import Annotated

from fastapi import APIRouter, Query

from backend.dependencies import ReadSession
from backend.kit.errors import NotFound, responses
from backend.kit.parameters import Id, Offset
from backend.logs import service
from backend.logs.schemas import LogPage

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
