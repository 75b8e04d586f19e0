"""Metric frames over REST."""

from typing import Annotated

from fastapi import APIRouter, Query

from phylon.backend.dependencies import ReadSession
from phylon.backend.kit.errors import NotFound, responses
from phylon.backend.kit.parameters import Id
from phylon.backend.metrics import service
from phylon.backend.metrics.schemas import RunMetrics

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
def list_metric_names(id: Id, session: ReadSession) -> list[str]:
    return service.names(session, id)
