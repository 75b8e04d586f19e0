"""What a worker and the service say to each other over HTTP. Only JSON and checkpoint bytes cross this wire.

A worker enrols once, then registers at each start and beats. A Celery message holds the id of a job and nothing else;
the worker claims the job and gets an attempt number, which every later write must name. A write of an older attempt is
refused with 409.
"""

from typing import Annotated, Any, Literal

from pydantic import Field, StringConstraints

from phylon.contract.catalogue import Environment
from phylon.contract.environment_check_events import EnvironmentCheckEvent
from phylon.contract.evaluation_events import EvaluationEvent
from phylon.contract.events import RunEvent
from phylon.contract.studies import Machine, Measurement
from phylon.contract.study_events import StudyEvent
from phylon.contract.vocabulary import RankPhase
from phylon.spec.distributions import Model

EXECUTE_JOB = "phylon.execute_job"
"""Name of the Celery task. Arguments: the job id."""

JobKindName = Literal["run", "study", "evaluation", "environment_check"]
JobEvent = RunEvent | StudyEvent | EvaluationEvent | EnvironmentCheckEvent
OUTCOMES = frozenset({"finished", "stopped", "failed"})
"""Kinds of the events that end a job; every kind of job has them."""

DeviceKind = Literal["cpu", "gpu"]

LABEL_PATTERN = r"^[a-z0-9][a-z0-9._-]{0,49}$"
Label = Annotated[str, StringConstraints(pattern=LABEL_PATTERN)]


def queue_name(worker_id: int) -> str:
    """The Celery queue that this worker alone consumes."""
    return f"phylon.worker.{worker_id}"


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
    environments: list[Environment] = Field(default_factory=list[Environment], max_length=1000)
    """Those of the modules that its operator allowed, by ids like `my_package:MyEnv-v0`."""
    slots: int = Field(default=1, ge=1, le=1024)
    """Jobs of one device that it executes side by side."""
    labels: list[Label] = Field(default_factory=list)
    """What its operator says about it; none given leaves those that it has."""
    fault: str | None = None
    """Why its devices cannot be used now, found before it offered them."""
    several_ranks: bool = False
    """Whether it may be several hosts of one gang, each on slots of its own."""
    machine: Annotated[str, Field(max_length=200)] | None = None
    """Where its process runs: two of them use one credential at the same time only by mistake."""


class Enrolment(Model):
    """A worker that is to become one of the service's."""

    code: str
    registration: WorkerRegistration


class Enrolled(Model):
    worker_id: int
    credential: str
    """Names and proves this worker in every later request."""


class WorkerFault(Model):
    """What a later look at the worker's devices found; None when they can be used again."""

    fault: str | None


class WorkerRegistered(Model):
    worker_id: int
    heartbeat_seconds: float


class BlockReference(Model):
    """A further file of a checkpoint that a gang wrote: what belongs to a block of the members."""

    artifact_id: int
    file: str
    sha256: str
    bytes: int


class CheckpointReference(Model):
    """A checkpoint that the service holds for a run."""

    artifact_id: int
    file: str
    sha256: str
    bytes: int
    next_seq: int
    """First event number that is *not* covered by this checkpoint."""
    blocks: tuple[BlockReference, ...] = ()
    """In the order of their members, behind the block that the file itself holds."""


class StartReference(Model):
    """The weights that founders of a run begin with, which the service holds for it."""

    artifact_id: int
    sha256: str
    bytes: int


class ClaimRequest(Model):
    worker_id: int


class RunPayload(Model):
    run_id: int
    spec: dict[str, Any]
    seed: int
    """Seed of this replicate."""
    checkpoints: list[CheckpointReference]
    """To go on from, the newest first: where one is missing or broken, the next one serves. Without any, or where all
    are gone, the run starts from the beginning."""
    start: StartReference | None = None
    """Where `population.start` has some; copied when the experiment was submitted."""


class StudyPayload(Model):
    spec: dict[str, Any]
    machine: Machine | None
    """Where the cells below were measured; they are void on any other."""
    measurements: list[Measurement]
    """What earlier attempts measured, so that nothing is measured twice."""


class CheckpointedRun(Model):
    """The run whose checkpoint a policy is made of."""

    run_id: int
    seed: int
    spec: dict[str, Any]
    member: str
    """`best`, `mean` or the number of a slot."""
    blocks: tuple[BlockReference, ...] = ()


class PolicyReference(Model):
    """A file that the service holds with a policy in it, and what the policy has played in earlier attempts."""

    artifact_id: int
    file: str
    sha256: str
    checkpoint_of: CheckpointedRun | None
    """None where the file is an exported policy."""
    name: str
    """What people call it."""
    played: int
    """Episodes."""
    filmed: list[int]
    """The episodes of which there is a film."""


class EvaluationPayload(Model):
    policies: list[PolicyReference]
    environment: str | None
    """Where all of them play; None where each plays where it was trained."""
    episodes: int
    seed: int
    sample: bool | None
    films: int


class EnvironmentCheckPayload(Model):
    environment: dict[str, Any]
    """As a spec names it."""


class Seat(Model):
    """The place of a worker among those that execute a job together."""

    rank: int
    size: int


class Claim(Model):
    """The job is this worker's until `lease_seconds` after its last heartbeat."""

    job_id: int
    kind: JobKindName
    attempt: int
    lease_seconds: float
    slots: list[int]
    """Numbers of the worker's slots that the job occupies, counted from 0."""
    next_seq: int
    """The event number that continues the stored history."""
    payload: RunPayload | StudyPayload | EvaluationPayload | EnvironmentCheckPayload
    seat: Seat | None = None
    """None for a worker that executes the job alone."""


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


LeftReason = Literal["worker_shutdown", "yielded", "low_disk"]
"""Why a worker hands a job back in order: it leaves, the service asked for it, or it has no room left."""


class Meeting(Model):
    """Where the processes of a gang find each other."""

    host: str
    address: str
    """IP address and port."""


class RankReport(Model):
    """What a worker says about its part of a gang."""

    rank: int
    phase: RankPhase
    host: Annotated[str, Field(max_length=200)]
    meeting: Meeting | None = None
    """Of rank 0, once its process has chosen a port."""
    seconds_per_segment: float | None = None
    """Of its process's own work, without waiting for others."""
    left: LeftReason | None = None
    """Why its process ended in order before the job's end, where this worker wanted that."""


class GangNews(Model):
    """What the service tells each worker of a gang."""

    is_complete: bool
    """All have prepared; each may start its process."""
    meeting: Meeting | None


class Heartbeat(Model):
    """Renews the lease and carries whatever is new; an empty one only renews.

    The lease of a gang is that of the worker which was silent for longest. Events come from rank 0 alone."""

    attempt: int
    rank: RankReport | None = None
    """From a worker that has a seat."""
    events: Annotated[
        list[RunEvent] | list[StudyEvent] | list[EvaluationEvent] | list[EnvironmentCheckEvent],
        Field(union_mode="left_to_right"),
    ]
    logs: list[LogLine]


class HeartbeatAnswer(Model):
    next_seq: int
    """The event number the service waits for; all before it are stored."""
    next_log_line: int
    command: Literal["continue", "stop", "yield"]
    """`yield`: hand the job back at the next border, because it is paused or makes room for another."""
    gang: GangNews | None = None


class Release(Model):
    """The attempt ended without an outcome event; that of a gang for all of it."""

    attempt: int
    rank: int = 0
    reason: Literal["crashed"] | LeftReason
    """A crash counts against the job's attempts, a hand-back in order does not."""
    detail: str


class ArtifactStored(Model):
    artifact_id: int | None
    """None while a part of the file is missing."""
    received: int
    """Bytes of the file that the service has."""


class UploadState(Model):
    """How much of a file that a worker wants to store is with the service already."""

    received: int
    artifact_id: int | None
    """Where all of it is, and stored."""


class JobFolders(Model):
    """Folders on a worker's disk, by the ids of their jobs."""

    job_ids: Annotated[list[int], Field(max_length=10_000)]
