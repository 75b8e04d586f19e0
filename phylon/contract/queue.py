"""The queue: what runs where, what waits and why, and who has had how much."""

from datetime import datetime
from typing import Literal

from phylon.contract.base import ReadModel, Request
from phylon.contract.protocol import JobKindName
from phylon.contract.vocabulary import JobStatus, Priority, WaitReason


class QueueJob(ReadModel):
    """A job in the queue or on a worker, as everyone may see it."""

    id: int
    kind: JobKindName
    name: str | None
    """Of the experiment, or of what else its kind says. None, as are the numbers below, for those who may not see its
    project."""
    payload_id: int | None
    """The number of what its kind says."""
    experiment_id: int | None
    """Of a run."""
    run_id: int | None
    owner_id: int
    owner: str
    project_id: int
    project: str
    priority: Priority
    devices: int
    """On all its hosts together."""
    hosts: int
    """Workers that execute it together; while it waits, as many as it asks for."""
    may_change: bool
    """Whether the viewer may move, pause, resume, retry or stop it."""


class JobHost(ReadModel):
    """A worker that has a part of a job."""

    worker_id: int
    worker_name: str
    slots: list[int]


class RunningJob(QueueJob):
    status: JobStatus
    is_pausing: bool
    """Whether it was asked to pause, and goes on until its next segment border."""
    worker_id: int
    worker_name: str
    slots: list[int]
    others: list[JobHost]
    """The further workers of a gang, in the order of their ranks."""
    since: datetime
    expected_end: datetime | None
    """By its own speed, or by how long similar ones took; none where neither is known."""


class WaitingJob(QueueJob):
    position: int
    """1 for the first."""
    since: datetime
    reason: WaitReason
    explanation: str
    """One sentence or two: why it waits, who is ahead, what would free it."""
    expected_start: datetime | None
    basis: str
    """What the expectation rests on, or why there is none."""


class RestingJob(QueueJob):
    """A job that waits for a person: it is paused, or failed within the last day."""

    status: JobStatus
    since: datetime | None
    """When it failed, or when its worker handed it back; none where it was paused before a worker had it."""
    error: str | None


class Share(ReadModel):
    """What someone has had of the devices, and what they are due while everyone has something to run."""

    project_id: int
    project: str
    user_id: int | None
    user: str | None
    """None for the project as a whole."""
    weight: float
    """Of the project: with twice the weight it is due twice as much."""
    devices: int
    """In use at the moment."""
    used_device_hours: float
    """Recent use; what lies a half-life back counts half."""
    used_share: float
    """Of everyone's recent use, from 0 to 1."""
    entitled_share: float


class Queue(ReadModel):
    slots: int
    """Of all workers that may get jobs."""
    free_slots: int
    running: list[RunningJob]
    waiting: list[WaitingJob]
    """The first in order, of those that were asked for. Positions count everyone's."""
    waiting_total: int
    """Of those that were asked for."""
    resting: list[RestingJob]
    """Of those that were asked for and may be seen, the newest first."""
    shares: list[Share]


class JobChange(Request):
    """What is given is changed."""

    priority: Priority | None = None
    before: int | None = None
    """The number of another waiting job of the same owner, project and class, before which it is to be served."""
    to: Literal["front", "back"] | None = None
    """Before, or after, all other waiting jobs of the same owner, project and class."""
