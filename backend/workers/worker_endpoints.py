"""How a worker makes itself known and says that it lives."""

from fastapi import APIRouter, Depends

from phylon.backend.accounts.codes import CodeInvalid
from phylon.backend.dependencies import AddressDep, ContextDep, WorkerDep, WriteSession, require_worker
from phylon.backend.jobs.ending import note_departure
from phylon.backend.kit.errors import Forbidden, NotFound, Unauthorized, responses
from phylon.backend.kit.parameters import Id
from phylon.backend.workers import enrolment, repository, service
from phylon.backend.workers.credentials import require_itself
from phylon.backend.workers.service import WorkerRunsElsewhere
from phylon.contract.protocol import Enrolled, Enrolment, WorkerFault, WorkerRegistered, WorkerRegistration

router = APIRouter(
    prefix="/worker", tags=["worker"], dependencies=[Depends(require_worker)], responses=responses(Unauthorized)
)

open_router = APIRouter(prefix="/worker", tags=["worker"])
"""For those who have no credential yet."""


@open_router.post("/enrol", status_code=201, responses=responses(CodeInvalid))
def enrol_worker(body: Enrolment, session: WriteSession, address: AddressDep) -> Enrolled:
    """Exchanges a code for a credential, which is shown in this answer and never again."""
    return enrolment.enrol(session, body, address)


@router.post("/register", responses=responses(WorkerRunsElsewhere))
def register_worker(
    body: WorkerRegistration, session: WriteSession, context: ContextDep, worker: WorkerDep
) -> WorkerRegistered:
    return service.register(session, context, worker, body)


@router.post("/{worker_id}/beat", status_code=204, responses=responses(NotFound, Forbidden))
def beat_worker(worker_id: Id, session: WriteSession, worker: WorkerDep) -> None:
    require_itself(worker, worker_id)
    service.beat(session, worker_id)


@router.post("/{worker_id}/leave", status_code=204, responses=responses(NotFound, Forbidden))
def leave_service(worker_id: Id, session: WriteSession, context: ContextDep, worker: WorkerDep) -> None:
    """It ends in order: jobs go to others at once, and it takes up its row when it comes back."""
    require_itself(worker, worker_id)
    note_departure(session, context, repository.get(session, worker_id))


@router.post("/{worker_id}/fault", status_code=204, responses=responses(NotFound, Forbidden))
def report_fault(
    worker_id: Id, body: WorkerFault, session: WriteSession, context: ContextDep, worker: WorkerDep
) -> None:
    """Its device fails, so it must get no job; or it works again."""
    require_itself(worker, worker_id)
    service.note_fault(session, context, repository.get(session, worker_id), body.fault)
