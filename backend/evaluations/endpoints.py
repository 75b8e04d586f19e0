"""Evaluations over REST."""

from typing import Annotated

from fastapi import APIRouter, Query

from phylon.backend.accounts.projects.service import NotMember
from phylon.backend.accounts.rights import NotYours
from phylon.backend.dependencies import ContextDep, ReadSession, ViewerDep, WriteSession
from phylon.backend.evaluations import service
from phylon.backend.evaluations.choosing import NothingToEvaluate
from phylon.backend.evaluations.service import EvaluationActive
from phylon.backend.idempotency import OnceDep
from phylon.backend.jobs.action_endpoints import add_actions
from phylon.backend.kit.errors import Invalid, NotFound, responses
from phylon.backend.kit.parameters import LARGEST, After, Id, Limit
from phylon.backend.queue.admission import NoWorkerFits
from phylon.contract.base import Page
from phylon.contract.evaluations import EvaluationRequest, EvaluationSummary, StoredEvaluation

router = APIRouter(prefix="/evaluations", tags=["evaluations"])
add_actions(router, "evaluation", StoredEvaluation, service.act)

RunNumber = Annotated[int | None, Query(ge=1, le=LARGEST, description="Only those that play a policy of this run.")]


@router.post("", status_code=201, responses=responses(Invalid, NotFound, NotMember, NothingToEvaluate, NoWorkerFits))
def create_evaluation(
    body: EvaluationRequest, session: WriteSession, context: ContextDep, viewer: ViewerDep, once: OnceDep
) -> StoredEvaluation:
    """Puts an evaluation of saved policies into the queue."""
    return once(body, StoredEvaluation, lambda: service.create(session, context, viewer, body))


@router.get("")
def list_evaluations(
    session: ReadSession, viewer: ViewerDep, run: RunNumber = None, limit: Limit = 100, after: After = None
) -> Page[EvaluationSummary]:
    """The newest first."""
    return service.list_page(session, viewer, run, limit, after)


@router.get("/{id}", responses=responses(NotFound))
def get_evaluation(id: Id, session: ReadSession, viewer: ViewerDep) -> StoredEvaluation:
    """With what each episode came to."""
    return service.get(session, viewer, id)


@router.delete("/{id}", status_code=204, responses=responses(NotFound, NotYours, EvaluationActive))
def delete_evaluation(id: Id, session: WriteSession, viewer: ViewerDep) -> None:
    service.delete(session, viewer, id)
