"""Evaluations over REST."""

from typing import Annotated

from fastapi import APIRouter, Query

from phylon.backend.accounts.projects.service import NotMember
from phylon.backend.dependencies import ContextDep, ViewerDep, WriteSession
from phylon.backend.evaluations import repository, service
from phylon.backend.evaluations.choosing import NothingToEvaluate
from phylon.backend.idempotency import OnceDep
from phylon.backend.kit.errors import Invalid, NotFound, responses
from phylon.backend.kit.parameters import LARGEST
from phylon.backend.payloads.endpoints import Conditions, add_routes
from phylon.backend.queue.admission import NoWorkerFits
from phylon.contract.evaluations import EvaluationRequest, StoredEvaluation
from phylon.contract.stream import EvaluationStreamMessage

RunNumber = Annotated[int | None, Query(ge=1, le=LARGEST, description="Only those that play a policy of this run.")]


def get_conditions(run: RunNumber = None) -> Conditions:
    return () if run is None else (repository.plays(run),)


router = APIRouter(prefix="/evaluations", tags=["evaluations"])
add_routes(router, service.EVALUATIONS, EvaluationStreamMessage, get_conditions)


@router.post("", status_code=201, responses=responses(Invalid, NotFound, NotMember, NothingToEvaluate, NoWorkerFits))
def create_evaluation(
    body: EvaluationRequest, session: WriteSession, context: ContextDep, viewer: ViewerDep, once: OnceDep
) -> StoredEvaluation:
    """Puts an evaluation of saved policies into the queue."""
    return once(body, StoredEvaluation, lambda: service.create(session, context, viewer, body))
