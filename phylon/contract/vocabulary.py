"""Words with a fixed set of values: enums of the OpenAPI document, hence constants of the TypeScript client."""

from enum import StrEnum


class JobStatus(StrEnum):
    """Where a run or a runtime study is in its life."""

    QUEUED = "queued"
    DISPATCHED = "dispatched"
    RUNNING = "running"
    STOPPING = "stopping"
    FINISHED = "finished"
    STOPPED = "stopped"
    FAILED = "failed"


class ActiveStatus(StrEnum):
    """The statuses that change by themselves; a job, experiment or group in any other has ended."""

    QUEUED = "queued"
    DISPATCHED = "dispatched"
    RUNNING = "running"
    STOPPING = "stopping"


ACTIVE = frozenset(JobStatus(status) for status in ActiveStatus)
HELD = frozenset({JobStatus.RUNNING, JobStatus.STOPPING})
"""A worker has a lease on these."""


class ExperimentStatus(StrEnum):
    """Derived from the runs: the first of these that any run is in."""

    RUNNING = "running"
    QUEUED = "queued"
    FAILED = "failed"
    STOPPED = "stopped"
    FINISHED = "finished"


class WorkerState(StrEnum):
    IDLE = "idle"
    BUSY = "busy"
    LOST = "lost"


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
    TRAINING_RETURN = "training/return"
    POPULATION_MEAN_POLICY_RETURN = "population/mean_policy_return"
    POPULATION_MEAN_POLICY_RETURN_STDERR = "population/mean_policy_return_stderr"
    SPEED_ENV_STEPS_PER_SECOND = "speed/env_steps_per_second"
    SPEED_UPDATES_PER_SECOND = "speed/updates_per_second"
