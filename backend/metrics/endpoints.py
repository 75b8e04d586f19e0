"""Metrics over REST."""

from typing import Annotated

from fastapi import APIRouter, Query

from phylon.backend.dependencies import ReadSession, ViewerDep
from phylon.backend.kit.errors import NotFound, responses
from phylon.backend.kit.pages import page_of
from phylon.backend.kit.parameters import After, Id
from phylon.backend.metrics import service
from phylon.backend.metrics.service import Window
from phylon.contract.base import Page
from phylon.contract.metrics import RunMetrics

router = APIRouter(prefix="/runs/{id}/metrics", tags=["metrics"])

_MOST_STEPS = 2**53
Step = Annotated[int | None, Query(ge=-_MOST_STEPS, le=_MOST_STEPS)]
Seconds = Annotated[float | None, Query(allow_inf_nan=False)]


@router.get("", responses=responses(NotFound))
def get_run_metrics(
    id: Id,
    session: ReadSession,
    viewer: ViewerDep,
    name: Annotated[list[str], Query(min_length=1, max_length=200)],
    points: Annotated[int, Query(ge=2, le=100_000)] = 1000,
    from_step: Step = None,
    to_step: Step = None,
    from_wall: Seconds = None,
    to_wall: Seconds = None,
    member: Annotated[list[Annotated[int, Query(ge=0)]] | None, Query(max_length=1000)] = None,
) -> RunMetrics:
    """All ticks of a part of the run where there are no more than `points` of them; else what as many buckets of ticks
    come to: mean, least and greatest value of each member."""
    window = Window(from_step, to_step, from_wall, to_wall, tuple(member or ()))
    return service.read(session, viewer, id, names=name, points=points, window=window)


@router.get("/names", responses=responses(NotFound))
def list_metric_names(
    id: Id,
    session: ReadSession,
    viewer: ViewerDep,
    limit: Annotated[int, Query(ge=1, le=10_000)] = 10_000,
    after: After = None,
) -> Page[str]:
    """Sorted."""
    return page_of(service.names(session, viewer, id), limit, after)
