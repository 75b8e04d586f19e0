"""Comparisons over REST: nothing is stored, every number follows from the runs and the question."""

from typing import Annotated

from fastapi import APIRouter, Depends, Query
from fastapi.responses import Response

from phylon.backend.comparisons import over_time, service
from phylon.backend.comparisons.service import Question
from phylon.backend.dependencies import ReadSession, ViewerDep
from phylon.backend.kit.errors import NotFound, responses
from phylon.backend.kit.files import file_response
from phylon.backend.kit.parameters import Ids
from phylon.compared import TABLES, TableFormat
from phylon.contract.comparisons import ComparedBudgets, ComparedCurves, Comparison, CurveAxis, StatisticName
from phylon.returns import RETURN

router = APIRouter(prefix="/comparisons", tags=["comparisons"], responses=responses(NotFound))

Number = Annotated[float | None, Query(allow_inf_nan=False)]


def question(
    experiments: Ids = [],  # noqa: B006  FastAPI copies it
    groups: Ids = [],  # noqa: B006
    metric: Annotated[str, Query(max_length=200)] = RETURN,
    axis: CurveAxis = CurveAxis.STEPS,
    statistic: Annotated[
        StatisticName | None, Query(description="By default the mean of one task, the interquartile mean of several.")
    ] = None,
    task: Annotated[
        str | None, Query(max_length=300, description="Of this environment alone; arms without it go.")
    ] = None,
    at: Annotated[Number, Query(description="Scores on the curve there instead of final returns.")] = None,
    target: Annotated[Number, Query(description="A return: how soon it is reached, how far scores stay below.")] = None,
    baseline: Annotated[
        str | None, Query(max_length=100, description="The key of the arm that the others are compared with.")
    ] = None,
) -> Question:
    return Question(experiments, groups, metric, axis, statistic, task, at, target, baseline)


Asked = Annotated[Question, Depends(question)]


@router.get("")
def get_comparison(asked: Asked, session: ReadSession, viewer: ViewerDep) -> Comparison:
    """Of experiments and groups: scores, differences, profiles, what differs in their specs, and a verdict."""
    return service.compare(session, viewer, asked)


@router.get("/curves")
def get_compared_curves(asked: Asked, session: ReadSession, viewer: ViewerDep, runs: bool = False) -> ComparedCurves:
    """Of the same arms over time; with `runs`, each replicate's own curve too."""
    return over_time.compare_curves(session, viewer, asked, runs)


@router.get("/budgets")
def get_compared_budgets(asked: Asked, session: ReadSession, viewer: ViewerDep) -> ComparedBudgets:
    """What a run of each arm has spent, in steps, updates and seconds by phase."""
    return over_time.compare_budgets(session, viewer, asked)


@router.get("/table.{format}", response_class=Response, responses=file_response("text/csv", "text/x-tex"))
def download_comparison(format: TableFormat, asked: Asked, session: ReadSession, viewer: ViewerDep) -> Response:
    """The arms with their scores and differences, as `phylon compare --format` prints them."""
    name, media_type = {"csv": ("comparison.csv", "text/csv"), "latex": ("comparison.tex", "text/x-tex")}[format]
    text = TABLES[format](service.compare(session, viewer, asked))
    headers = {"Content-Disposition": f'attachment; filename="{name}"'}
    return Response(text, media_type=f"{media_type}; charset=utf-8", headers=headers)
