"""Explanations over REST: nothing is stored, every number follows from lineage and evaluations."""

from typing import Annotated

from fastapi import APIRouter, Query

from phylon.backend.dependencies import ReadSession, ViewerDep
from phylon.backend.explanations import service
from phylon.backend.kit.errors import NotFound, responses
from phylon.backend.kit.parameters import Id, Ids
from phylon.contract.explanations import Explanation

router = APIRouter(tags=["explanations"], responses=responses(NotFound))


@router.get("/runs/{id}/explanation")
def get_run_explanation(id: Id, session: ReadSession, viewer: ViewerDep) -> Explanation:
    """What its hyper-parameters were and did, which of them matter, and how much of selection was luck."""
    return service.explain_run(session, viewer, id)


@router.get("/comparisons/explanation")
def get_pooled_explanation(
    session: ReadSession,
    viewer: ViewerDep,
    experiments: Ids = [],  # noqa: B006  FastAPI copies it
    groups: Ids = [],  # noqa: B006
    task: Annotated[str | None, Query(max_length=300, description="Of this environment alone.")] = None,
) -> Explanation:
    """The same of all runs of these experiments and groups together."""
    return service.explain_arms(session, viewer, experiments, groups, task)
