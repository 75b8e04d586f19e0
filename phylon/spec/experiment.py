"""`ExperimentSpec`, version 1: the one object that YAML, REST, form and trainer share."""

from typing import Annotated, Literal

from pydantic import Field, model_validator
from pydantic_core import PydanticCustomError

from phylon.spec.algorithms import AlgorithmSpec
from phylon.spec.checks import cross_field_problems
from phylon.spec.distributions import Model
from phylon.spec.environment import EnvironmentSpec
from phylon.spec.population import PopulationSpec
from phylon.spec.resets import ResetsSpec
from phylon.spec.videos import VideosSpec

StrategyName = Literal["auto", "sequential", "parallel", "vectorized", "sharded"]


class ReplaySpec(Model):
    """Rings of transitions."""

    sharing: Literal["per_member", "shared"] = "per_member"
    """`per_member`: each has a ring of its own. `shared`: there is one, which all members fill and draw from."""
    capacity: Annotated[int, Field(strict=True, ge=1, le=100_000_000)] = 300_000
    """Transitions in a ring."""
    ratio: Annotated[float, Field(strict=True, gt=0, le=128)] = 1.0
    """Gradient updates for each environment step."""
    warmup: Annotated[int, Field(strict=True, ge=0)] = 25_000
    """Environment steps of uniformly random actions before the first update."""


class BudgetSpec(Model):
    env_steps: Annotated[int, Field(strict=True, ge=1)]
    """Environment steps of each member, warm-up included."""


class EvaluationSpec(Model):
    """Noiseless episodes on separate environments with fixed seeds."""

    interval: Annotated[int, Field(strict=True, ge=1)] = 10_000
    episodes: Annotated[int, Field(strict=True, ge=1, le=1000)] = 10


class MetricsSpec(Model):
    interval: Annotated[int, Field(strict=True, ge=1)] = 1_000
    """Environment steps between two frames of training metrics."""


class CheckpointSpec(Model):
    interval: Annotated[int, Field(strict=True, ge=1)] = 100_000


class ExecutionSpec(Model):
    strategy: StrategyName = "auto"
    chunk: Annotated[int, Field(strict=True, ge=1, le=100_000)] | None = None
    """Members of the `vectorized` strategy that learn at the same time; left out, all. Fewer need less memory."""
    processes: Annotated[int, Field(strict=True, ge=1, le=1024)] | None = None
    """Of the `parallel` strategy, at most one a member. Left out: one a core, or four that share an accelerator."""
    segment_steps: Annotated[int, Field(strict=True, ge=1, le=100_000)] | None = None
    """Environment steps of each member between two compiled blocks of updates. All intervals are multiples of it.

    Left out it is 50. Algorithms that learn from rollouts take no other than their rollout's length.
    """
    overlap: Annotated[bool, Field(strict=True)] = False
    """Learn from a segment while the next one is gathered, so its policies are one segment older. Needs a replay."""


SEGMENT_STEPS = 50


class ExperimentSpec(Model):
    """A population to train, `replicates` times over. Numbers are per member unless they say otherwise."""

    version: Literal[1]
    name: Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$")]
    description: Annotated[str, Field(max_length=2000)] = ""
    kind: Literal["training"]
    replicates: Annotated[int, Field(strict=True, ge=1, le=100)] = 1
    seed: Annotated[int, Field(strict=True, ge=0, lt=2**31)] = 0
    environment: EnvironmentSpec
    algorithm: AlgorithmSpec
    population: PopulationSpec
    replay: ReplaySpec | None = None
    """Only for algorithms that learn from a replay; left out, its defaults hold."""
    resets: ResetsSpec | None = None
    """Renew parts of every member now and then, its replay kept; for high replay ratios."""
    budget: BudgetSpec
    evaluation: EvaluationSpec = EvaluationSpec()
    metrics: MetricsSpec = MetricsSpec()
    checkpoint: CheckpointSpec = CheckpointSpec()
    execution: ExecutionSpec = ExecutionSpec()
    videos: VideosSpec | None = None
    """Left out, nothing is filmed."""

    @model_validator(mode="after")
    def _complete(self) -> "ExperimentSpec":
        """What an algorithm with a replay needs is written down, so that a stored spec says all that it means."""
        if self.algorithm.learns_from == "rollout":
            return self
        execution = self.execution
        if execution.segment_steps is None:
            execution = execution.model_copy(update={"segment_steps": SEGMENT_STEPS})
        # Frozen for everyone else; a copy would not be what pydantic hands on.
        object.__setattr__(self, "execution", execution)
        object.__setattr__(self, "replay", self.replay or ReplaySpec())
        return self

    @model_validator(mode="after")
    def _consistent(self) -> "ExperimentSpec":
        problems = cross_field_problems(self)
        if problems:
            raise PydanticCustomError("inconsistent", "the parts do not fit together", {"problems": problems})
        return self
