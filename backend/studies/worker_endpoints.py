"""How a worker takes a study, tells what it measured, and ends it. Every write names its attempt."""

from fastapi import APIRouter, Depends

from phylon.backend.dependencies import ContextDep, WriteSession, require_worker
from phylon.backend.kit.errors import NotFound, Unauthorized, responses
from phylon.backend.kit.parameters import Id
from phylon.backend.studies import attempts
from phylon.backend.studies.attempts import StudyNotClaimable, StudyTaken
from phylon.contract.protocol import ClaimRequest, StudyClaim, StudyEnd, StudyHeartbeat, StudyHeartbeatAnswer

router = APIRouter(
    prefix="/worker/studies/{id}",
    tags=["worker"],
    dependencies=[Depends(require_worker)],
    responses=responses(Unauthorized),
)


@router.post("/claim", responses=responses(NotFound, StudyNotClaimable))
def claim_study(id: Id, body: ClaimRequest, session: WriteSession, context: ContextDep) -> StudyClaim:
    return attempts.claim(session, context, id, body)


@router.post("/heartbeat", responses=responses(NotFound, StudyTaken))
def record_study_heartbeat(
    id: Id, body: StudyHeartbeat, session: WriteSession, context: ContextDep
) -> StudyHeartbeatAnswer:
    return attempts.heartbeat(session, context, id, body)


@router.post("/end", status_code=204, responses=responses(NotFound, StudyTaken))
def end_study(id: Id, body: StudyEnd, session: WriteSession, context: ContextDep) -> None:
    attempts.end(session, context, id, body)
