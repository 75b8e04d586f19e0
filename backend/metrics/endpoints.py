"""Metric frames over REST."""

from typing import Annotated

from fastapi import APIRouter, Query

from phylon.backend.dependencies import ReadSession
from phylon.backend.kit.errors import NotFound, responses
from phylon.backend.kit.pages import page_of
from phylon.backend.kit.parameters import After, Id
from phylon.backend.metrics import service
from phylon.contract.base import Page
from phylon.contract.metrics import RunMetrics

router = APIRouter(prefix="/runs/{id}/metrics", tags=["metrics"])


@router.get("", responses=responses(NotFound))
def get_run_metrics(
    id: Id,
    session: ReadSession,
    name: Annotated[list[str], Query(min_length=1, max_length=200)],
    points: Annotated[int, Query(ge=2, le=100_000)] = 1000,
) -> RunMetrics:
    return service.read(session, id, names=name, points=points)


@router.get("/names", responses=responses(NotFound))
def list_metric_names(
    id: Id, session: ReadSession, limit: Annotated[int, Query(ge=1, le=10_000)] = 10_000, after: After = None
) -> Page[str]:
    """Sorted."""
    return page_of(service.names(session, id), limit, after)
