"""`ExperimentSpec`, version 2: the one object that YAML, REST, form and trainer share.

It is complete: `phylon.spec.resolve` makes it from what someone wrote.
"""

from typing import Annotated, Literal

from pydantic import Field, model_validator
from pydantic_core import PydanticCustomError

from phylon.spec.algorithms import AlgorithmSpec
from phylon.spec.checks import cross_field_problems
from phylon.spec.distributions import Model
from phylon.spec.draft import LARGEST
from phylon.spec.environment import EnvironmentSpec
from phylon.spec.population import PopulationSpec
from phylon.spec.resets import ResetsSpec
from phylon.spec.videos import VideosSpec

StrategyName = Literal["auto", "sequential", "parallel", "vectorized", "sharded"]


class ReplaySpec(Model):
    """Rings of transitions."""

    sharing: Literal["per_member", "shared"] = "per_member"
    """`per_member`: each has a ring of its own. `shared`: there is one, which all members fill and draw from."""
    capacity: Annotated[int, Field(strict=True, ge=1, le=100_000_000)]
    """Transitions in a ring."""
    ratio: Annotated[float, Field(strict=True, gt=0, le=128)] = 1.0
    """Gradient updates for each environment step."""
    warmup: Annotated[int, Field(strict=True, ge=0)]
    """Environment steps of uniformly random actions before the first update."""


class BudgetSpec(Model):
    env_steps: Annotated[int, Field(strict=True, ge=1, le=LARGEST)]
    """Environment steps of each member, warm-up included."""


class EvaluationSpec(Model):
    """Noiseless episodes on separate environments with fixed seeds."""

    interval: Annotated[int, Field(strict=True, ge=1)]
    episodes: Annotated[int, Field(strict=True, ge=1, le=1000)] = 10


class MetricsSpec(Model):
    interval: Annotated[int, Field(strict=True, ge=1)]
    """Environment steps between two frames of training metrics."""


class CheckpointSpec(Model):
    interval: Annotated[int, Field(strict=True, ge=1)]


class ExecutionSpec(Model):
    strategy: StrategyName = "auto"
    chunk: Annotated[int, Field(strict=True, ge=1, le=100_000)] | None = None
    """Members of the `vectorized` strategy that learn at the same time; left out, all. Fewer need less memory."""
    processes: Annotated[int, Field(strict=True, ge=1, le=1024)] | None = None
    """Of the `parallel` strategy, at most one per member. Left out: one per core, or four that share an accelerator."""
    segment_steps: Annotated[int, Field(strict=True, ge=1, le=100_000)] | None = None
    """Environment steps of each member between two compiled blocks of updates. All intervals are multiples of it.

    None for algorithms that learn from rollouts: theirs is the length of a rollout.
    """
    overlap: Annotated[bool, Field(strict=True)] = False
    """Learn from a segment while the next one is gathered, so its policies are one segment older. Needs a replay."""


class ExperimentSpec(Model):
    """A population to train, `replicates` times over. Numbers are per member unless they say otherwise."""

    version: Literal[2]
    name: Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$")]
    description: Annotated[str, Field(max_length=2000)] = ""
    kind: Literal["training"]
    replicates: Annotated[int, Field(strict=True, ge=1, le=100)] = 1
    seed: Annotated[int, Field(strict=True, ge=0, lt=2**31)] = 0
    environment: EnvironmentSpec
    algorithm: AlgorithmSpec
    search: Literal["recommended", "none"] = "none"
    """`recommended`: hyper-parameters that the algorithm leaves out are tuned over their recommended ranges. Left out,
    it is that where the method tunes and no distribution is written. A resolved spec has them, and says `none`."""
    population: PopulationSpec
    replay: ReplaySpec | None = None
    """None for algorithms that learn from rollouts."""
    resets: ResetsSpec | None = None
    """Renew parts of every member now and then, its replay kept; for high replay ratios."""
    budget: BudgetSpec
    evaluation: EvaluationSpec
    metrics: MetricsSpec
    checkpoint: CheckpointSpec
    execution: ExecutionSpec = ExecutionSpec()
    videos: VideosSpec | None = None
    """Left out, nothing is filmed."""

    @model_validator(mode="after")
    def _consistent(self) -> "ExperimentSpec":
        problems = cross_field_problems(self)
        if problems:
            raise PydanticCustomError("inconsistent", "the parts do not fit together", {"problems": problems})
        return self


def replicate_seed(spec: ExperimentSpec, replicate: int) -> int:
    """Replicate 0 has the spec's own seed, so that one of a single replicate says it plainly."""
    return (spec.seed + replicate) % 2**31
