"""How a worker makes itself known and says that it lives."""

from fastapi import APIRouter, Depends

from phylon.backend.dependencies import ContextDep, WriteSession, require_worker
from phylon.backend.kit.errors import NotFound, Unauthorized, responses
from phylon.backend.kit.parameters import Id
from phylon.backend.workers import service
from phylon.contract.protocol import WorkerRegistered, WorkerRegistration

router = APIRouter(
    prefix="/worker", tags=["worker"], dependencies=[Depends(require_worker)], responses=responses(Unauthorized)
)


@router.post("/register")
def register_worker(body: WorkerRegistration, session: WriteSession, context: ContextDep) -> WorkerRegistered:
    return service.register(session, context, body)


@router.post("/{worker_id}/beat", status_code=204, responses=responses(NotFound))
def beat_worker(worker_id: Id, session: WriteSession) -> None:
    service.beat(session, worker_id)
