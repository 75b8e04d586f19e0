"""CEM-RL: a search over policies' weights, helped along by gradients."""

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated, Literal

from pydantic import Field

from phylon.registry.descriptions import AlgorithmDescription, JointLearning, MethodDescription
from phylon.spec.distributions import Model
from phylon.spec.evolving import Evolving
from phylon.spec.problems import Problem

if TYPE_CHECKING:
    from phylon.spec.experiment import ExperimentSpec

Variance = Annotated[float, Field(strict=True, gt=0, le=100)]


class NoiseSpec(Model):
    """A *variance* that is added at each update, so that the search does not narrow down too early."""

    initial: Annotated[float, Field(strict=True, ge=0, le=100)] = 1e-2
    final: Annotated[float, Field(strict=True, ge=0, le=100)] = 1e-5
    decay: Annotated[float, Field(strict=True, ge=0, le=1)] = 0.95
    """At each update it becomes decay * noise + (1 - decay) * final, before it is added."""


class CEMRLSpec(Evolving):
    """CEM-RL (Pourchot & Sigaud 2019): policies are drawn from a Gaussian over weights, some learn by gradients with a
    critic that all share, and the best of all of them move the Gaussian."""

    name: Literal["cem_rl"]
    elites: Annotated[float, Field(strict=True, gt=0, le=1)] = 0.5
    """Share of the population that the new mean and variance are made of, rounded up."""
    trained: Annotated[float, Field(strict=True, gt=0, le=1)] = 0.5
    """Share of the population that makes gradient steps between two draws, rounded up."""
    initial_variance: Variance = 1e-2
    """Of each weight around the first policy. A variance: 0.01 is a standard deviation of 0.1."""
    noise: NoiseSpec = NoiseSpec()
    weights: Literal["log", "uniform"] = "log"
    """How elites count: log((elites + 1) / place), or all alike."""
    antithetic: bool = True
    """Draw in pairs of opposite directions, which lie in neighbouring slots and are trained, or not, together."""


def members_of_share(size: int, share: float) -> int:
    """Rounded up as written in decimals: 0.3 of 10 is 3, although the float product is a hair above it."""
    return math.ceil(size * share - 1e-9)


def _problems(spec: "ExperimentSpec") -> Iterator[Problem]:
    method = spec.population.method
    assert isinstance(method, CEMRLSpec)
    if method.fitness.name != "last":
        yield Problem(
            path="population.method.fitness.name",
            value=method.fitness.name,
            message="a policy of cem_rl is drawn afresh at each interval and has no earlier evaluations",
            remedy="use last",
        )


def _has_shared_critic(algorithm: AlgorithmDescription) -> bool:
    return algorithm.shared_critic is not None


def _learners(method: CEMRLSpec, size: int) -> int:
    return members_of_share(size, method.trained)


CEM_RL = MethodDescription(
    spec=CEMRLSpec,
    engine="phylon.worker.population.cem_rl:cem_rl",
    title="CEM-RL",
    summary="A search over policies' weights, helped by gradients (Pourchot & Sigaud 2019).",
    joint=JointLearning(
        engine="phylon.worker.algorithms.joint:learn_apart",
        trains=_has_shared_critic,
        learners=_learners,
    ),
    smallest_size=2,
    rounds=100,
    problems=_problems,
)
