"""What people may ask of a job, and in which status. One verb for one meaning:

stop      what has not ended      it ends at its next border, with a checkpoint; at once where no worker has it
pause     what waits or runs      it keeps its checkpoint and waits
resume    what was paused, stopped, or is about to pause      it goes on to the budget it has
retry     what failed             it is tried again, with all its attempts
extend    what finished or stopped      it goes on to a larger budget; see `backend.runs.extension`

Each goes on from the newest checkpoint; nothing trained is lost, and attempts keep what they came to.
"""

from collections.abc import Callable, Sequence
from typing import NamedTuple

from sqlalchemy.orm import Session

from phylon.backend.accounts import audit
from phylon.backend.accounts.rights import require_change
from phylon.backend.accounts.viewer import Viewer
from phylon.backend.context import Context
from phylon.backend.jobs.changes import request_stop, request_yield, send_on
from phylon.backend.kit.errors import Conflict
from phylon.backend.models import Job
from phylon.contract.vocabulary import ACTIVE, JobStatus

_ADVICE = {
    JobStatus.QUEUED: "Wait until it runs and ends, or pause it, or stop it.",
    JobStatus.DISPATCHED: "Wait until it runs and ends, or pause it, or stop it.",
    JobStatus.RUNNING: "Wait until it ends, or pause it, or stop it.",
    JobStatus.STOPPING: "Wait until it has stopped.",
    JobStatus.PAUSED: "Resume it, or stop it.",
    JobStatus.FINISHED: "A finished run can be extended by a larger budget.",
    JobStatus.STOPPED: "Resume it.",
    JobStatus.FAILED: "Retry it.",
}
"""What can be done instead, by the status that stands in the way."""


class Action(NamedTuple):
    verb: str
    participle: str
    fits: str
    """The statuses in words."""
    applies: Callable[[Job], bool]
    do: Callable[[Session, Context, Job], None]
    of_whole: str
    """What it does to a run or a study, and to all runs of an experiment or group that it fits."""


class ActionRefused(Conflict):
    """The status does not allow this."""

    def __init__(self, name: str, jobs: Sequence[Job], action: Action) -> None:
        statuses = ", ".join(sorted({job.status for job in jobs})) or "without runs"
        advice = _ADVICE[JobStatus(jobs[0].status)] if jobs else "Submit it again."
        fact = f"{name.capitalize()} is {statuses}; only what {action.fits} can be {action.participle}."
        super().__init__(fact, "Nothing needs to be done: it is over." if action is STOP else advice)


def _has_not_ended(job: Job) -> bool:
    return job.status in ACTIVE


def _is_under_way(job: Job) -> bool:
    return job.status in (JobStatus.QUEUED, JobStatus.DISPATCHED, JobStatus.RUNNING)


def _pause(session: Session, context: Context, job: Job) -> None:
    request_yield(session, context, job, JobStatus.PAUSED)


def _was_interrupted(job: Job) -> bool:
    is_pausing = job.status == JobStatus.RUNNING and job.yield_to == JobStatus.PAUSED
    return is_pausing or job.status in (JobStatus.PAUSED, JobStatus.STOPPED)


def _has_failed(job: Job) -> bool:
    return job.status == JobStatus.FAILED


STOP = Action(
    *("stop", "stopped", "has not ended", _has_not_ended, request_stop),
    "What has not ended writes a checkpoint at its next border and ends. What waits leaves the queue at once.",
)
PAUSE = Action(
    *("pause", "paused", "waits or runs", _is_under_way, _pause),
    "What waits or runs keeps what it has come to and waits, from its next border on, until it is resumed.",
)
RESUME = Action(
    *("resume", "resumed", "is paused or stopped", _was_interrupted, send_on),
    "What is paused or stopped goes on from its newest checkpoint.",
)
RETRY = Action(
    *("retry", "retried", "failed", _has_failed, send_on),
    "What failed goes on from its newest checkpoint, with all its attempts.",
)
ACTIONS = (STOP, PAUSE, RESUME, RETRY)


def act(
    session: Session, context: Context, viewer: Viewer, action: Action, jobs: Sequence[Job], noun: str, number: int
) -> None:
    """On all of these jobs, locked, that it applies to; refused where there is none. `noun` is what they make up."""
    name = f"{noun.replace('_', ' ')} {number}"
    for job in jobs:
        require_change(viewer, job, name)
    chosen = [job for job in jobs if action.applies(job)]
    if not chosen:
        raise ActionRefused(name, jobs, action)
    for job in chosen:
        action.do(session, context, job)
    audit.record(session, viewer, f"{noun}.{action.verb}", name, project_id=jobs[0].project_id)
