"""How a worker takes a job, reports what happens, and gives it back. Every write names its attempt."""

from fastapi import APIRouter, Depends

from phylon.backend.dependencies import ContextDep, WorkerDep, WriteSession, require_job_of_worker, require_worker
from phylon.backend.jobs import service
from phylon.backend.jobs.service import JobNotClaimable
from phylon.backend.kit.errors import Forbidden, Invalid, NotFound, StaleAttempt, Unauthorized, responses
from phylon.backend.kit.parameters import Id
from phylon.backend.workers.credentials import require_itself
from phylon.contract.protocol import Claim, ClaimRequest, Heartbeat, HeartbeatAnswer, Release, ResumeRequest

router = APIRouter(
    prefix="/worker/jobs/{id}",
    tags=["worker"],
    dependencies=[Depends(require_worker)],
    responses=responses(Unauthorized),
)
OF_WORKER = [Depends(require_job_of_worker)]


@router.post("/claim", responses=responses(NotFound, Forbidden, JobNotClaimable))
def claim_job(id: Id, body: ClaimRequest, session: WriteSession, context: ContextDep, worker: WorkerDep) -> Claim:
    require_itself(worker, body.worker_id)
    return service.claim(session, context, id, body)


@router.post("/resume", dependencies=OF_WORKER, responses=responses(NotFound, StaleAttempt))
def resume_job(id: Id, body: ResumeRequest, session: WriteSession, context: ContextDep) -> HeartbeatAnswer:
    return service.resume(session, context, id, body)


@router.post("/heartbeat", dependencies=OF_WORKER, responses=responses(NotFound, StaleAttempt, Invalid))
def record_heartbeat(id: Id, body: Heartbeat, session: WriteSession, context: ContextDep) -> HeartbeatAnswer:
    return service.heartbeat(session, context, id, body)


@router.post("/release", status_code=204, dependencies=OF_WORKER, responses=responses(NotFound, StaleAttempt))
def release_job(id: Id, body: Release, session: WriteSession, context: ContextDep) -> None:
    service.release(session, context, id, body)
