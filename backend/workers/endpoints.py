"""Workers, as people see them."""

from fastapi import APIRouter

from phylon.backend.accounts.rights import AdminOnly
from phylon.backend.dependencies import ContextDep, ReadSession, ViewerDep, WriteSession
from phylon.backend.kit.errors import NotFound, responses
from phylon.backend.kit.pages import page_of
from phylon.backend.kit.parameters import After, Id, Limit
from phylon.backend.workers import enrolment, operation, service
from phylon.backend.workers.operation import NotQuarantined
from phylon.contract.base import Page
from phylon.contract.workers import DrainRequest, EnrolmentCode, EnrolmentCodeRequest, Worker, WorkerChange, WorkerLoad

router = APIRouter(prefix="/workers", tags=["workers"])


@router.get("")
def list_workers(
    session: ReadSession, context: ContextDep, viewer: ViewerDep, limit: Limit = 500, after: After = None
) -> Page[Worker]:
    """Those that were alive within the last day, in the order in which they first came."""
    return page_of(service.list_all(session, context, viewer), limit, after, key=lambda worker: worker.id)


@router.post("/codes", status_code=201, responses=responses(AdminOnly))
def create_enrolment_code(body: EnrolmentCodeRequest, session: WriteSession, viewer: ViewerDep) -> EnrolmentCode:
    """Lets one worker enrol, within an hour. Shown in this answer and never again."""
    return enrolment.create_code(session, viewer, body)


@router.post("/{id}/revoke", status_code=204, responses=responses(NotFound, AdminOnly))
def revoke_worker(id: Id, session: WriteSession, context: ContextDep, viewer: ViewerDep) -> None:
    """Its credential counts no more, and what it executes goes to others."""
    enrolment.revoke(session, context, viewer, id)


@router.get("/{id}/load", responses=responses(NotFound))
def get_worker_load(id: Id, session: ReadSession, viewer: ViewerDep) -> WorkerLoad:
    del viewer  # all who have signed in may see it
    return service.read_load(session, id)


@router.post("/{id}/drain", responses=responses(NotFound, AdminOnly))
def drain_worker(id: Id, body: DrainRequest, session: WriteSession, context: ContextDep, viewer: ViewerDep) -> Worker:
    """It gets no new job. What it executes goes on to its end, or back to the queue with `now`."""
    return operation.drain(session, context, viewer, id, body.now)


@router.post("/{id}/undrain", responses=responses(NotFound, AdminOnly))
def undrain_worker(id: Id, session: WriteSession, context: ContextDep, viewer: ViewerDep) -> Worker:
    return operation.undrain(session, context, viewer, id)


@router.post("/{id}/release", responses=responses(NotFound, AdminOnly, NotQuarantined))
def release_worker(id: Id, session: WriteSession, context: ContextDep, viewer: ViewerDep) -> Worker:
    """Lets it back from quarantine."""
    return operation.release(session, context, viewer, id)


@router.patch("/{id}", responses=responses(NotFound, AdminOnly))
def change_worker(id: Id, body: WorkerChange, session: WriteSession, context: ContextDep, viewer: ViewerDep) -> Worker:
    return operation.set_labels(session, context, viewer, id, body.labels)
