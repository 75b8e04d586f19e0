"""What a worker and the service say to each other over HTTP. Only JSON and checkpoint bytes cross this wire.

A worker registers, then beats. A Celery message tells it a run id and nothing else; it claims the run and gets an
attempt number, which every later write must name. A write of an older attempt is refused with 409.
"""

from typing import Any, Literal

from phylon.contract.events import RunEvent
from phylon.spec.distributions import Model
from phylon.study import Machine, Measurement

EXECUTE_RUN = "phylon.execute_run"
"""Name of a Celery task. Arguments: the run id."""
EXECUTE_STUDY = "phylon.execute_study"
"""Name of a Celery task. Arguments: the id of a runtime study."""

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
    """Older workers do not tell."""
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


class Claim(Model):
    """The run is this worker's until `lease_seconds` after its last heartbeat."""

    run_id: int
    attempt: int
    lease_seconds: float
    spec: dict[str, Any]
    seed: int
    """Seed of this replicate."""
    checkpoint: CheckpointReference | None


class ResumeRequest(Model):
    """Cut the history back to `from_seq` (0 for a run that starts afresh)."""

    attempt: int
    from_seq: int


class LogLine(Model):
    line: int
    """Number of the line within the attempt, from 0, without gaps."""
    wall: float
    stream: Literal["trainer", "supervisor"]
    text: str


class Heartbeat(Model):
    """Renews the lease and carries whatever is new; an empty one only renews."""

    attempt: int
    events: list[RunEvent]
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
    """A crash counts against the run's attempts; a worker that leaves in order does not."""
    detail: str


class ArtifactStored(Model):
    artifact_id: int


class StudyClaim(Model):
    """The study is this worker's until `lease_seconds` after its last heartbeat."""

    study_id: int
    attempt: int
    lease_seconds: float
    spec: dict[str, Any]


class StudyHeartbeat(Model):
    """Renews the lease and carries what is new since `position`; an attempt's first one carries all that it has.

    What the service holds from `position` on is replaced, so telling twice is harmless.
    """

    attempt: int
    machine: Machine | None
    """None as long as the worker does not know it."""
    position: int
    measurements: list[Measurement]
    progress: str


class StudyHeartbeatAnswer(Model):
    command: Literal["continue", "stop"]


class StudyEnd(Model):
    """The attempt is over. Only `crashed` and `worker_shutdown` send the study back to the queue."""

    attempt: int
    outcome: Literal["finished", "stopped", "failed", "crashed", "worker_shutdown"]
    detail: str
