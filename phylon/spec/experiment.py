"""`ExperimentSpec`, version 2: the one object that YAML, REST, form and trainer share.

It is complete: `phylon.spec.resolve` makes it from what someone wrote.
"""

from typing import Annotated, Literal

from pydantic import Field, ValidationInfo, model_validator
from pydantic_core import PydanticCustomError

from phylon.spec.algorithms import AlgorithmSpec
from phylon.spec.budget import BudgetSpec
from phylon.spec.checks import cross_field_problems
from phylon.spec.distributions import Model
from phylon.spec.environment import EnvironmentSpec
from phylon.spec.population import PopulationSpec
from phylon.spec.resets import ResetsSpec
from phylon.spec.resources import ResourcesSpec
from phylon.spec.videos import VideosSpec

StrategyName = Literal["auto", "sequential", "parallel", "vectorized", "sharded"]
ExchangeName = Literal["collective", "point_to_point"]


ACCEPTED = object()
"""The context in which a spec is read that was accepted before: by the rules of its day, so today's are not asked."""


class ReplaySpec(Model):
    """Rings of transitions."""

    sharing: Literal["per_member", "shared"] = "per_member"
    """`per_member`: each has a ring of its own. `shared`: there is one, which all members fill and draw from."""
    placement: Literal["auto", "host", "device"] = "auto"
    """Where rings lie. `device`: beside members and environments, and a segment is one program; for environments that
    are JAX functions. `auto`: there where that is possible and the forecast fits its memory, else in host memory."""
    capacity: Annotated[int, Field(strict=True, ge=1, le=100_000_000)]
    """Transitions in a ring."""
    ratio: Annotated[float, Field(strict=True, gt=0, le=128)] = 1.0
    """Gradient updates for each environment step."""
    warmup: Annotated[int, Field(strict=True, ge=0)]
    """Environment steps of uniformly random actions before the first update."""


class EvaluationSpec(Model):
    """Episodes on separate environments: the same for all members, others at every evaluation."""

    interval: Annotated[int, Field(strict=True, ge=1)]
    episodes: Annotated[int, Field(strict=True, ge=1, le=1000)] = 10
    policy: Literal["mode", "sample"] = "mode"
    """How members act. `sample`: a stochastic policy draws its actions. Left out: samples in Procgen and Atari."""
    epsilon: Annotated[float, Field(strict=True, ge=0, le=1)] = 0.0
    """How likely an action is replaced by any of the discrete ones. Left out: 0.05 in Atari for policies without
    chance of their own (DQN), 0 elsewhere."""
    final: Annotated[int, Field(strict=True, ge=0, le=10_000)] = 50
    """Episodes for each member after training, which no selection saw: the winner's return in them is the run's result.
    0 for none. Left out: fewer where they would be long."""


class MetricsSpec(Model):
    interval: Annotated[int, Field(strict=True, ge=1)]
    """Environment steps between two frames of training metrics."""


class KeepSpec(Model):
    """Which checkpoints the service keeps. The newest that is reported always stays."""

    last: Annotated[int, Field(strict=True, ge=1, le=1000)] = 2
    """The newest so many."""
    best: Annotated[bool, Field(strict=True)] = True
    """That one before which the population had its best evaluation."""
    branches: Annotated[bool, Field(strict=True)] = False
    """Those from which the winner's lineage branched off: the newest at or before each birth in it. Who wins is known
    at the end, so until then those of all living members stay."""


class CheckpointSpec(Model):
    interval: Annotated[int, Field(strict=True, ge=1)]
    resume: Literal["latest", "exact"] = "latest"
    """Where a run goes on that was stopped, or given back by its worker, between two of these.

    `latest`: where it was, from one more checkpoint; environments restart there, so from then on its numbers differ
    from those of an undisturbed run, and it says so. `exact`: at the last of these; the work since is done again, and
    every number is that of the undisturbed run. A run whose trainer is killed always does the latter.
    """
    keep: KeepSpec = KeepSpec()


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
    exchange: ExchangeName = "collective"
    """How members move between the processes of a run on several: to all of them in one step, or from one to the other.
    The numbers are the same."""
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
    resources: ResourcesSpec = ResourcesSpec()
    """What a run asks of its worker; no part of what is trained."""

    @model_validator(mode="after")
    def _consistent(self, info: ValidationInfo) -> "ExperimentSpec":
        problems = [] if info.context is ACCEPTED else cross_field_problems(self)
        if problems:
            raise PydanticCustomError("inconsistent", "the parts do not fit together", {"problems": problems})
        return self


def replicate_seed(spec: ExperimentSpec, replicate: int) -> int:
    """Replicate 0 has the spec's own seed, so that one of a single replicate says it plainly."""
    return (spec.seed + replicate) % 2**31
