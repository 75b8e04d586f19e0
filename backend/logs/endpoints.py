"""Log lines over REST."""

from typing import Annotated

from fastapi import APIRouter, Query

from phylon.backend.dependencies import ReadSession
from phylon.backend.kit.errors import NotFound, responses
from phylon.backend.kit.parameters import Id, Offset
from phylon.backend.logs import service
from phylon.backend.logs.schemas import LogPage
from phylon.backend.runs import repository as runs
from phylon.backend.studies import repository as studies

router = APIRouter(tags=["logs"])

Limit = Annotated[int, Query(ge=1, le=10_000)]


@router.get("/runs/{id}/logs", responses=responses(NotFound))
def list_run_logs(
    id: Id, session: ReadSession, attempt: Offset | None = None, after: Offset = 0, limit: Limit = 1000
) -> LogPage:
    return service.read(session, runs.get(session, id).job_id, attempt=attempt, after=after, limit=limit)


@router.get("/studies/{id}/logs", responses=responses(NotFound))
def list_study_logs(
    id: Id, session: ReadSession, attempt: Offset | None = None, after: Offset = 0, limit: Limit = 1000
) -> LogPage:
    return service.read(session, studies.get(session, id).job_id, attempt=attempt, after=after, limit=limit)
