"""What people may change about a waiting job: its class, and its place among the jobs of its owner."""

from typing import Literal

from sqlalchemy.orm import Session

from phylon.backend.accounts.rights import require_change
from phylon.backend.accounts.viewer import Viewer
from phylon.backend.context import Context
from phylon.backend.jobs import repository as jobs
from phylon.backend.jobs.changes import ring
from phylon.backend.jobs.status import JobStatus
from phylon.backend.kit.errors import Conflict
from phylon.backend.models import Job
from phylon.backend.queue import repository
from phylon.contract.queue import JobChange


class JobNotWaiting(Conflict):
    """Only a job that waits has a place in the queue."""

    def __init__(self, job: Job) -> None:
        super().__init__(f"Job {job.id} is {job.status}.", "Nothing needs to be done: it waits no longer.")


class NoCommonLine(Conflict):
    """Jobs are moved among those of one owner, in one project and one class: between others, shares decide."""

    def __init__(self, job_id: int, before: int) -> None:
        super().__init__(
            f"Job {before} does not wait in one line with job {job_id}: same owner, project and class.",
            "Give them the same class first, or choose another job to move it before.",
        )


def change(session: Session, context: Context, viewer: Viewer, job_id: int, body: JobChange) -> None:
    job = repository.find_visible(session, viewer, job_id)
    require_change(viewer, job, f"job {job_id}")
    job = jobs.lock(session, job_id)
    if job.status != JobStatus.QUEUED:
        raise JobNotWaiting(job)
    if body.priority is not None:
        job.priority = body.priority.value
        session.flush()
    if body.before is not None or body.to is not None:
        _move(session, job, body.before, body.to)
        session.flush()
    ring(session, context, job_id)


def _move(session: Session, job: Job, before: int | None, to: Literal["front", "back"] | None) -> None:
    """The places of the line stay the same; the jobs change theirs."""
    line = repository.line_of(session, job)
    places = [each.id if each.place is None else each.place for each in line]
    others = [each for each in line if each.id != job.id]
    if before is None:
        index = 0 if to == "front" else len(others)
    elif (index := next((index for index, each in enumerate(others) if each.id == before), None)) is None:
        raise NoCommonLine(job.id, before)
    others.insert(index, job)
    for each, place in zip(others, places, strict=True):
        each.place = None if place == each.id else place
