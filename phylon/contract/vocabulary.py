"""Words with a fixed set of values: enums of the OpenAPI document, hence constants of the TypeScript client."""

from enum import StrEnum


class JobStatus(StrEnum):
    """Where a run or a runtime study is in its life."""

    QUEUED = "queued"
    DISPATCHED = "dispatched"
    RUNNING = "running"
    STOPPING = "stopping"
    PAUSED = "paused"
    """It keeps its checkpoint and waits until someone resumes it."""
    FINISHED = "finished"
    STOPPED = "stopped"
    FAILED = "failed"


class ActiveStatus(StrEnum):
    """A job, experiment or group in any other status has ended."""

    QUEUED = "queued"
    DISPATCHED = "dispatched"
    RUNNING = "running"
    STOPPING = "stopping"
    PAUSED = "paused"


ACTIVE = frozenset(JobStatus(status) for status in ActiveStatus)
HELD = frozenset({JobStatus.RUNNING, JobStatus.STOPPING})
"""A worker has a lease on these."""


class ExperimentStatus(StrEnum):
    """Derived from the runs: the first of these that any run is in."""

    RUNNING = "running"
    QUEUED = "queued"
    PAUSED = "paused"
    FAILED = "failed"
    STOPPED = "stopped"
    FINISHED = "finished"


class WorkerState(StrEnum):
    IDLE = "idle"
    BUSY = "busy"
    DRAINING = "draining"
    """It gets no new job; what it executes goes on."""
    QUARANTINED = "quarantined"
    """It gets no job until its operator lets it back."""
    LOST = "lost"


class Priority(StrEnum):
    """The class of a job, the first one served last."""

    LOW = "low"
    NORMAL = "normal"
    HIGH = "high"


class WaitReason(StrEnum):
    """Why a job waits."""

    NEXT = "next"
    """For nothing: it is sent as soon as the scheduler looks again."""
    BUSY = "busy"
    """All devices that could take it are in use or go to others first."""
    PLACEMENT = "placement"
    """Enough devices are free, but not together on one worker."""
    RESERVED = "reserved"
    """Free devices are kept for a larger job that has waited for long."""
    QUOTA = "quota"
    """Its project has used up what it may."""
    NO_WORKER = "no_worker"
    """No worker that is there could execute it."""
    BACK_OFF = "back_off"
    """Its last attempt ended badly, and the next one is not to follow at once."""


class RankPhase(StrEnum):
    """How far a rank of a gang has come."""

    SENT = "sent"
    """Its worker has yet to take it."""
    PREPARING = "preparing"
    """It fetches what it needs."""
    READY = "ready"
    """It waits for the others."""
    TRAINING = "training"
    ENDED = "ended"
    """Its process has ended in order."""


class Role(StrEnum):
    """What a member of a project may do there, each more than the one before."""

    VIEWER = "viewer"
    """See everything of the project."""
    MEMBER = "member"
    """Submit, and change what is their own."""
    ADMIN = "admin"
    """Change whatever is the project's, and who belongs to it."""


class LinkPurpose(StrEnum):
    """What a link that works once is for."""

    FIRST_ADMIN = "first_admin"
    INVITATION = "invitation"
    PASSWORD_RESET = "password_reset"


class Scope(StrEnum):
    """What a token may be used for."""

    READ = "read"
    """See what its owner sees."""
    WRITE = "write"
    """Submit, and change what its owner may change as a member."""
    ADMIN = "admin"
    """What its owner may do as an admin, of projects or of the service."""


class Phase(StrEnum):
    """Where the time of a run goes, in the order of the training loop: `time/<phase>` is the metric of its seconds."""

    COMPILE = "compile"
    ENV = "env"
    ACT = "act"
    SAMPLE = "sample"
    TRANSFER = "transfer"
    UPDATE = "update"
    EVALUATE = "evaluate"
    VIDEO = "video"
    EVOLVE = "evolve"
    CHECKPOINT = "checkpoint"
    OTHER = "other"


class MetricName(StrEnum):
    """Metrics that do not depend on the algorithm. Beside them are `time/<phase>` and an algorithm's `training/…`."""

    EVALUATION_RETURN = "evaluation/return"
    EVALUATION_RETURN_STDERR = "evaluation/return_stderr"
    EVALUATION_LENGTH = "evaluation/length"
    EVALUATION_FITNESS = "evaluation/fitness"
    EVALUATION_FITNESS_STDERR = "evaluation/fitness_stderr"
    EVALUATION_TEST_RETURN = "evaluation/test_return"
    EVALUATION_TEST_RETURN_STDERR = "evaluation/test_return_stderr"
    FINAL_RETURN = "final/return"
    FINAL_RETURN_STDERR = "final/return_stderr"
    FINAL_RETURN_LOW = "final/return_low"
    FINAL_RETURN_HIGH = "final/return_high"
    TRAINING_RETURN = "training/return"
    POPULATION_MEAN_POLICY_RETURN = "population/mean_policy_return"
    POPULATION_MEAN_POLICY_RETURN_STDERR = "population/mean_policy_return_stderr"
    POPULATION_FINAL_MEAN_POLICY_RETURN = "population/final_mean_policy_return"
    POPULATION_FINAL_MEAN_POLICY_RETURN_STDERR = "population/final_mean_policy_return_stderr"
    POPULATION_FINAL_MEAN_POLICY_RETURN_LOW = "population/final_mean_policy_return_low"
    POPULATION_FINAL_MEAN_POLICY_RETURN_HIGH = "population/final_mean_policy_return_high"
    POPULATION_WEIGHT_DEVIATION = "population/weight_deviation"
    SPEED_ENV_STEPS_PER_SECOND = "speed/env_steps_per_second"
    SPEED_UPDATES_PER_SECOND = "speed/updates_per_second"
