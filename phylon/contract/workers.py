"""Machines that train, as people see them."""

from datetime import datetime

from pydantic import Field

from phylon.contract.accounts import Name
from phylon.contract.base import ReadModel, Request
from phylon.contract.protocol import DeviceKind, JobKindName, Label
from phylon.contract.vocabulary import WorkerState


class WorkerJob(ReadModel):
    """A job of a worker; its payload is the run, study or evaluation with the number `id`."""

    job_id: int
    kind: JobKindName
    id: int
    name: str
    """Of the experiment, study or evaluation."""


class WorkerSlot(ReadModel):
    number: int
    is_free: bool
    job: WorkerJob | None
    """None also where the viewer may not see it. One that needs several devices occupies several slots."""


class Worker(ReadModel):
    id: int
    name: str
    device: DeviceKind
    device_name: str
    device_count: int
    memory_bytes: int
    """Of its devices together."""
    host_memory_bytes: int | None
    """None for workers that do not report it."""
    versions: dict[str, str]
    differing_versions: dict[str, str]
    """The service's own version of each package that the worker has another one of."""
    suites: list[str]
    environments: list[str]
    """Ids of those of the modules that its operator allowed."""
    slots: list[WorkerSlot]
    labels: list[str]
    state: WorkerState
    reason: str | None
    """Why it is quarantined, else None."""
    blamed_for: list[WorkerJob]
    """The jobs whose crashes led to its quarantine; none when the worker itself reported that its device fails."""
    draining_since: datetime | None
    quarantined_at: datetime | None
    enrolled_by: str | None
    """The name of who made the code with which it enrolled; none where that was not kept."""
    last_seen_at: datetime
    may_operate: bool
    """Whether the viewer may drain it, let it back or revoke it."""


class EnrolmentCodeRequest(Request):
    name: Name | None = None
    """How the worker will be listed; by the name it gives itself without it."""
    labels: list[Label] = Field(default=[], max_length=50)
    """What the worker has from the beginning; one that is started with labels of its own has those."""


class EnrolmentCode(ReadModel):
    code: str
    """Shown this once."""
    expires_at: datetime


class WorkerLoad(ReadModel):
    """How busy a worker was in the last day."""

    start: datetime
    bucket_seconds: int
    busy: list[float]
    """Share of its slots' time that jobs had in each bucket, from 0 to 1; the last bucket ends now."""


class DrainRequest(Request):
    now: bool = False
    """Ask the jobs that it executes to write a checkpoint and go back to the queue."""


class WorkerChange(Request):
    labels: list[Label] = Field(max_length=50)
