"""What the service tells, as the Python client hands it on. A field that a newer service adds is kept, not refused."""

from datetime import datetime
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from pydantic import BaseModel, ConfigDict

from phylon.catalogue import Space
from phylon.contract.events import Span
from phylon.spec import Problem
from phylon.spec.distributions import Scale
from phylon.study import Machine, Measurement

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

RunStatus = Literal["queued", "dispatched", "running", "stopping", "finished", "stopped", "failed"]
ExperimentStatus = Literal["running", "queued", "failed", "stopped", "finished"]
ENDED: tuple[RunStatus, ...] = ("finished", "stopped", "failed")
"""A run in one of these never changes again."""


class Result(BaseModel):
    model_config = ConfigDict(frozen=True, extra="allow", ser_json_inf_nan="strings")


class RunError(Result):
    """Why a run failed."""

    message: str
    remedy: str
    member: int | None
    hyperparams: dict[str, float] | None


class Run(Result):
    """One population: a replicate of an experiment."""

    id: int
    experiment_id: int
    replicate: int
    seed: int
    status: RunStatus
    step: int
    """Environment steps that each member has done."""
    total_steps: int
    attempts: int
    max_attempts: int
    best_return: float | None
    median_return: float | None
    env_steps_per_second: float | None
    eta_seconds: float | None
    strategy: str | None
    strategy_explanation: str | None
    devices: list[str]
    error: RunError | None
    created_at: datetime
    started_at: datetime | None
    finished_at: datetime | None
    worker_name: str | None
    last_seq: int
    """Number of the newest event, -1 when there is none."""

    @property
    def ended(self) -> bool:
        return self.status in ENDED


class GroupName(Result):
    """The group to which an experiment belongs."""

    id: int
    name: str


class Experiment(Result):
    id: int
    name: str
    status: ExperimentStatus
    created_at: datetime
    group: GroupName | None
    spec: dict[str, Any]
    yaml: str
    runs: list[Run]


class ExperimentSummary(Result):
    id: int
    name: str
    status: ExperimentStatus
    created_at: datetime
    group: GroupName | None
    algorithm: str
    environment: str
    method: str
    population_size: int
    replicates: int
    step: int
    total_steps: int
    best_return: float | None
    last_return: float | None
    sparkline: list[float]
    error_message: str | None
    env_steps_per_second: float | None


class ExperimentPage(Result):
    items: list[ExperimentSummary]
    total: int


class GroupSummary(Result):
    """Experiments that were submitted together."""

    id: int
    name: str
    description: str
    created_at: datetime
    size: int
    status: ExperimentStatus | None
    counts: dict[ExperimentStatus, int]
    progress: float
    """From 0 to 1."""


class GroupPage(Result):
    items: list[GroupSummary]
    total: int


class GroupExperiment(ExperimentSummary):
    final_return: float | None
    """Mean of the samples at the last evaluation."""
    samples: int
    """Independently learned: each member, or the best of each run where members copy each other."""


class Estimate(Result):
    value: float
    low: float | None
    """Ends of the 95 % interval."""
    high: float | None


class Aggregate(Result):
    """All experiments of a group in a few numbers."""

    experiments: int
    samples: int
    mean: Estimate
    interquartile_mean: Estimate


class ExperimentGroup(GroupSummary):
    yaml: str
    experiments: list[GroupExperiment]
    comparable: bool
    """Whether returns of its experiments may be averaged."""
    aggregate: Aggregate | None


class Series(NamedTuple):
    """One metric over time."""

    steps: "NDArray[np.int64]"
    """[ticks]"""
    wall: "NDArray[np.float64]"
    """[ticks] seconds of work"""
    values: "NDArray[np.float64]"
    """[ticks, members], or [ticks, 1] for a metric of the whole population"""


class SpanInTime(Span):
    """A stretch of one member's life, with when it began and ended."""

    model_config = ConfigDict(frozen=True, extra="ignore", ser_json_inf_nan="strings")

    start_step: int
    end_step: int | None
    start_wall: float


class Tuned(Result):
    name: str
    scale: Scale
    low: float
    high: float
    names: list[str] | None
    """What the values 0, 1, 2, … are called, where they are names."""


class RunLineage(Result):
    population_size: int
    end_step: int
    tuned: list[Tuned]
    spans: list[SpanInTime]


class LogLine(Result):
    id: int
    attempt: int
    line: int
    wall: float
    stream: str
    text: str
    created_at: datetime


class LogPage(Result):
    lines: list[LogLine]
    next: int
    """Pass it as `after` to get what comes next."""


class Video(Result):
    """Whom a film shows, and how that went."""

    member: int
    span: int
    episode_return: float
    episode_steps: int
    ended: bool
    """Whether the episode came to its end, or the film was cut before it."""


class Artifact(Result):
    id: int
    kind: Literal["checkpoint", "video"]
    name: str
    bytes: int
    sha256: str
    step: int
    created_at: datetime
    video: Video | None


class Worker(Result):
    id: int
    name: str
    device: str
    device_name: str
    device_count: int
    memory_bytes: int
    host_memory_bytes: int | None
    versions: dict[str, str]
    suites: list[str]
    state: Literal["idle", "busy", "lost"]
    run_id: int | None
    last_seen_at: datetime


class Environment(Result):
    """An environment of the catalogue."""

    suite: str
    id: str
    family: str
    observation: Space
    action: Space
    max_episode_steps: int | None


class Forecast(Result):
    experiments: int | None
    """How many a group has; none for a single experiment."""
    members: int
    runs: int
    total_env_steps: int
    replay_bytes: int


class SpecReport(Result):
    """What the service thinks of a spec."""

    valid: bool
    problems: list[Problem]
    spec: dict[str, Any] | None
    forecast: Forecast | None


class SpeedPoint(Result):
    population_size: int
    milliseconds: float
    strategy: str


class SpeedAdvice(Result):
    """What a runtime study tells about a spec."""

    study_id: int
    study_name: str
    device_name: str
    is_same_size: bool
    points: list[SpeedPoint]
    nearly_free_up_to: int
    one_more_milliseconds: float


class WorkerAdvice(Result):
    worker_id: int
    worker_name: str
    device: str
    device_name: str
    members: int
    """How many fit."""
    limit: str
    """What runs out first."""
    needed_bytes: int
    usable_bytes: int
    speed: SpeedAdvice | None


class Advice(Result):
    """How many members the workers can hold, and what one more costs."""

    experiment: str
    members: int
    member_state_bytes: int
    member_step_bytes: int
    member_host_bytes: int
    shared_bytes: int
    workers: list[WorkerAdvice]
    elsewhere: list[SpeedAdvice]
    probe: str | None
    """A small runtime study that would measure it, for `submit_study`."""
    unmeasured: str | None
    """Why no study can tell, where none can."""


class Health(Result):
    status: str
    database: str
    redis: str
    version: str


class StudySummary(Result):
    """A runtime study on the service."""

    id: int
    name: str
    description: str
    status: RunStatus
    created_at: datetime
    started_at: datetime | None
    finished_at: datetime | None
    worker_name: str | None
    machine: Machine | None
    done: int
    total: int
    progress: str | None
    error: str | None


class StoredStudy(StudySummary):
    spec: dict[str, Any]
    yaml: str
    measurements: list[Measurement]


class Rewind(Result):
    """History was cut back: events numbered `seq` and above are void and will be told anew."""

    seq: int
    attempt: int
