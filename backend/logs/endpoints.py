"""Log lines over REST."""

from typing import Annotated

from fastapi import APIRouter, Query

from phylon.backend.dependencies import ReadSession, ViewerDep
from phylon.backend.kit.errors import NotFound, responses
from phylon.backend.kit.parameters import After, Id, Number
from phylon.backend.logs import service
from phylon.backend.runs import repository as runs
from phylon.contract.base import Page
from phylon.contract.logs import LoggedLine

router = APIRouter(tags=["logs"])

Limit = Annotated[int, Query(ge=1, le=10_000)]


@router.get("/runs/{id}/logs", responses=responses(NotFound))
def list_run_logs(
    id: Id,
    session: ReadSession,
    viewer: ViewerDep,
    attempt: Number | None = None,
    rank: Number | None = None,
    after: After = None,
    limit: Limit = 1000,
) -> Page[LoggedLine]:
    """In the order in which they were printed, of all ranks of a gang or of one. A log may grow, so that `next` is
    never null."""
    job_id = runs.get(session, viewer, id).job_id
    return service.read(session, job_id, attempt=attempt, rank=rank, after=after, limit=limit)
