"""CEM-RL: a search over policies' weights, helped along by gradients."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated, Any, Literal, cast

from pydantic import Field, model_validator

from phylon.registry.descriptions import AlgorithmDescription, JointLearning, MethodDescription
from phylon.spec.distributions import Model
from phylon.spec.evolving import Evolving
from phylon.spec.problems import Problem, showable
from phylon.spec.selection import members_of_share

if TYPE_CHECKING:
    from phylon.spec.experiment import ExperimentSpec

Variance = Annotated[float, Field(strict=True, gt=0, le=100)]

FASTPBRL_VARIANCE = 1e-2
"""At the start, and of the first noise; the authors' are a tenth of it."""


class NoiseSpec(Model):
    """A *variance* that is added at each update, so that the search does not narrow down too early."""

    initial: Annotated[float, Field(strict=True, ge=0, le=100)] = 1e-3
    final: Annotated[float, Field(strict=True, ge=0, le=100)] = 1e-5
    decay: Annotated[float, Field(strict=True, ge=0, le=1)] = 0.95
    """At each update it becomes decay * noise + (1 - decay) * final, before it is added."""


class CEMRLSpec(Evolving):
    """CEM-RL (Pourchot & Sigaud 2019): policies are drawn from a Gaussian over weights, some learn by gradients with a
    critic that all share, and the best of all of them move the Gaussian."""

    name: Literal["cem_rl"]
    rule: Literal["authors", "fastpbrl"] = "authors"
    """Whose variances are meant where `initial_variance` and `noise.initial` are left out: both are 0.001 in the
    authors' code and 0.01 in fastpbrl. The update is the same."""
    elites: Annotated[float, Field(strict=True, gt=0, le=1)] = 0.5
    """Share of the population that the new mean and variance are made of, rounded up."""
    trained: Annotated[float, Field(strict=True, gt=0, le=1)] = 0.5
    """Share of the population that makes gradient steps between two draws, rounded up."""
    initial_variance: Variance = 1e-3
    """Of each weight around the first policy. A variance: 0.001 is a standard deviation of 0.03."""
    noise: NoiseSpec = NoiseSpec()
    weights: Literal["log", "uniform"] = "log"
    """How elites count: log((elites + 1) / place), or all alike."""
    antithetic: bool = True
    """Draw in pairs of opposite directions. The second half of the slots mirror the first, which are trained first."""

    @model_validator(mode="before")
    @classmethod
    def _take_variances(cls, written: Any) -> Any:
        if not isinstance(written, dict):
            return written
        fields = cast(dict[str, Any], written)
        if fields.get("rule") != "fastpbrl":
            return fields
        noise = fields.get("noise", {})
        filled = {"initial": FASTPBRL_VARIANCE, **cast(dict[str, Any], noise)} if isinstance(noise, dict) else noise
        return {"initial_variance": FASTPBRL_VARIANCE, **fields, "noise": filled}


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
    if method.fitness.of not in ("evaluation", "test"):
        yield Problem(
            path="population.method.fitness.of",
            value=showable(method.model_dump(mode="json")["fitness"]["of"]),
            message="a policy of cem_rl is drawn afresh at each interval, and not all of them are trained",
            remedy="use evaluation or test",
        )


def _has_shared_critic(algorithm: AlgorithmDescription) -> bool:
    return algorithm.shared_critic is not None


def _one_for_each_joint_step(size: int) -> float:
    return float(min(size, 128))


def _learners(method: CEMRLSpec, size: int) -> int:
    return members_of_share(size, method.trained)


CEM_RL = MethodDescription(
    spec=CEMRLSpec,
    engine="phylon.worker.population.cem_rl:cem_rl",
    title="CEM-RL",
    summary="A search over policies' weights, helped by gradients (Pourchot & Sigaud 2019).",
    moves_hyperparameters=False,
    joint=JointLearning(
        engine="phylon.worker.algorithms.joint:learn_apart",
        trains=_has_shared_critic,
        learners=_learners,
        ratio=_one_for_each_joint_step,
    ),
    smallest_size=2,
    rounds=100,
    problems=_problems,
)
