"""How a machine becomes a worker: an admin makes a code, the machine exchanges it for a credential of its own."""

from sqlalchemy.orm import Session

from phylon.backend.accounts import audit, codes
from phylon.backend.accounts.codes import Purpose
from phylon.backend.accounts.rights import require_admin
from phylon.backend.accounts.secret import WORKER, digest, make_token
from phylon.backend.accounts.viewer import Viewer
from phylon.backend.context import Context
from phylon.backend.kit import clock
from phylon.backend.models import Worker
from phylon.backend.workers import repository, service
from phylon.contract.protocol import Enrolled, Enrolment
from phylon.contract.workers import EnrolmentCode, EnrolmentCodeRequest


def create_code(session: Session, viewer: Viewer, body: EnrolmentCodeRequest) -> EnrolmentCode:
    require_admin(viewer)
    labels = sorted(set(body.labels))
    issued = codes.issue(session, Purpose.ENROLMENT, {"name": body.name, "labels": labels, "by": viewer.name})
    audit.record(session, viewer, "worker.code", f"code {issued.row.id}", name=body.name, labels=labels)
    return EnrolmentCode(code=issued.code, expires_at=issued.row.expires_at)


def enrol(session: Session, body: Enrolment, address: str | None) -> Enrolled:
    """Namesakes stay two workers. Only one of a release without credentials keeps its row, and what waits for it.

    The answer may get lost, so the code works again until its worker has registered: for the same row, with a new
    credential in place of the one that never arrived.
    """
    code = codes.find(session, Purpose.ENROLMENT, body.code)
    registration = body.registration
    if code.detail["name"] is not None:
        registration = registration.model_copy(update={"name": code.detail["name"]})
    if not registration.labels:  # else its operator has said what it is
        registration = registration.model_copy(update={"labels": code.detail.get("labels", [])})
    if "worker" in code.detail:
        worker = repository.lock(session, code.detail["worker"])
    else:
        worker = repository.newest_without_credential(session, registration.name)
    if worker is None:
        fields = registration.model_dump(exclude={"fault"})
        worker = Worker(**fields, registered_at=clock.now(), last_seen_at=clock.now())
        session.add(worker)
    credential = make_token(WORKER)
    worker.credential_sha256, worker.machine = digest(credential), registration.machine
    worker.labels, worker.enrolled_by = registration.labels or worker.labels, code.detail.get("by")
    worker.left_at = clock.now()  # it gets no job before it registers, which is when it says what it can do
    session.flush()
    code.detail = {**code.detail, "worker": worker.id}
    audit.record_stranger(session, registration.name, address, "worker.enrol", f"worker {worker.id}", code=code.id)
    return Enrolled(worker_id=worker.id, credential=credential)


def revoke(session: Session, context: Context, viewer: Viewer, worker_id: int) -> None:
    require_admin(viewer)
    worker = repository.lock(session, worker_id)
    worker.revoked_at = clock.now()
    service.lose_jobs(session, context, worker, f"worker {worker.name} was revoked.")
    audit.record(session, viewer, "worker.revoke", f"worker {worker_id}", name=worker.name)
