"""What a worker and the service say to each other over HTTP. Only JSON and checkpoint bytes cross this wire.

A worker registers, then beats. A Celery message holds the id of a job and nothing else; the worker claims the job and
gets an attempt number, which every later write must name. A write of an older attempt is refused with 409.
"""

from typing import Annotated, Any, Literal

from pydantic import Field

from phylon.contract.events import RunEvent
from phylon.contract.studies import Machine, Measurement
from phylon.contract.study_events import StudyEvent
from phylon.spec.distributions import Model

EXECUTE_JOB = "phylon.execute_job"
"""Name of the Celery task. Arguments: the job id."""

JobKindName = Literal["run", "study"]
JobEvent = RunEvent | StudyEvent
OUTCOMES = frozenset({"finished", "stopped", "failed"})
"""Kinds of the events that end a job; every kind of job has them."""

DeviceKind = Literal["cpu", "gpu"]


def queue_name(device: DeviceKind) -> str:
    """The Celery queue of workers with this kind of device."""
    return f"phylon.{device}"


class WorkerRegistration(Model):
    name: str
    device: DeviceKind
    device_name: str
    device_count: int
    memory_bytes: int
    """Of its devices together."""
    host_memory_bytes: int | None = None
    """Older workers do not report it."""
    versions: dict[str, str]
    suites: list[str]
    algorithms: list[str] | None = None
    methods: list[str] | None = None
    """Those that are installed, plug-ins among them; older workers do not report them."""


class WorkerRegistered(Model):
    worker_id: int
    heartbeat_seconds: float


class CheckpointReference(Model):
    """The newest checkpoint that the service holds for a run."""

    artifact_id: int
    file: str
    sha256: str
    bytes: int
    next_seq: int
    """First event number that is *not* covered by this checkpoint."""


class ClaimRequest(Model):
    worker_id: int


class RunPayload(Model):
    run_id: int
    spec: dict[str, Any]
    seed: int
    """Seed of this replicate."""
    checkpoint: CheckpointReference | None


class StudyPayload(Model):
    spec: dict[str, Any]
    machine: Machine | None
    """Where the cells below were measured; they are void on any other."""
    measurements: list[Measurement]
    """What earlier attempts measured, so that nothing is measured twice."""


class Claim(Model):
    """The job is this worker's until `lease_seconds` after its last heartbeat."""

    job_id: int
    kind: JobKindName
    attempt: int
    lease_seconds: float
    next_seq: int
    """The event number that continues the stored history."""
    payload: RunPayload | StudyPayload


class ResumeRequest(Model):
    """Cut the history back to `from_seq` (0 for a job that starts from the beginning)."""

    attempt: int
    from_seq: int


class LogLine(Model):
    line: int
    """Number of the line within the attempt, from 0, without gaps."""
    wall: float
    stream: Literal["trainer", "supervisor"]
    """`trainer` is the job's own process, of whatever kind."""
    text: str


class Heartbeat(Model):
    """Renews the lease and carries whatever is new; an empty one only renews."""

    attempt: int
    events: Annotated[list[RunEvent] | list[StudyEvent], Field(union_mode="left_to_right")]
    logs: list[LogLine]


class HeartbeatAnswer(Model):
    next_seq: int
    """The event number the service waits for; all before it are stored."""
    next_log_line: int
    command: Literal["continue", "stop"]


class Release(Model):
    """The attempt ended without an outcome event."""

    attempt: int
    reason: Literal["crashed", "worker_shutdown"]
    """A crash counts against the job's attempts; a worker that leaves in order does not."""
    detail: str


class ArtifactStored(Model):
    artifact_id: int
