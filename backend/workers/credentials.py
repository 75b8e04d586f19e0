"""Which worker speaks, and for which jobs it may."""

from phylon.backend.accounts.secret import WORKER, digest, is_token
from phylon.backend.context import Context
from phylon.backend.jobs import ranks
from phylon.backend.jobs import repository as jobs
from phylon.backend.kit.errors import Conflict, Forbidden, NotFound, Unauthorized
from phylon.backend.models import Job
from phylon.backend.workers import repository


class CredentialInvalid(Unauthorized):
    """The credential of the worker is missing or wrong, or was revoked."""

    def __init__(self) -> None:
        super().__init__(
            "The credential of the worker is missing or wrong, or was revoked.",
            "Enrol the worker: `phylon workers code` makes a code, `phylon worker --enrol CODE` uses it.",
        )


class OtherWorker(Forbidden):
    """A worker speaks for itself alone."""

    def __init__(self, speaker: int, named: int) -> None:
        super().__init__(f"Worker {speaker} may not speak for worker {named}.", "Name the worker that enrolled.")


class JobElsewhere(Conflict):
    """Another worker has the job, or none has."""

    def __init__(self, job: Job, worker_id: int) -> None:
        super().__init__(
            f"Job {job.id} is not with worker {worker_id}: attempt {job.attempt} is the newest, and another's.",
            "Stop the process of this attempt; the job goes on elsewhere or has ended.",
        )


def identify(context: Context, credential: str) -> int:
    if not is_token(credential, WORKER):
        raise CredentialInvalid
    with context.database.read() as session:
        worker_id = repository.id_of_credential(session, digest(credential))
    if worker_id is None:
        raise CredentialInvalid
    return worker_id


def require_itself(worker_id: int, named: int) -> None:
    if named != worker_id:
        raise OtherWorker(worker_id, named)


def require_job(context: Context, worker_id: int, job_id: int) -> None:
    """Which attempt may write is the fence's to say; this keeps workers from the jobs of others."""
    with context.database.read() as session:
        job = jobs.find(session, job_id)
        if job is None:
            raise NotFound("job", job_id)
        if job.worker_id != worker_id and not ranks.have_seat(session, job_id, worker_id):
            raise JobElsewhere(job, worker_id)
