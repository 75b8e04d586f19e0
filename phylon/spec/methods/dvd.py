"""DvD: policies that learn together and are kept apart by the determinant of their behaviours."""

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Annotated, Literal

from pydantic import AfterValidator, Discriminator, Field
from pydantic_core import PydanticCustomError

from phylon.registry.descriptions import AlgorithmDescription, JointLearning, MethodDescription
from phylon.spec.distributions import Model
from phylon.spec.evolving import Evolving
from phylon.spec.problems import Problem

if TYPE_CHECKING:
    from phylon.spec.experiment import ExperimentSpec

DIVERSITY = "diversity"
"""What the coefficient is called among the hyper-parameters of a member."""

Coefficient = Annotated[float, Field(strict=True, ge=0, le=1)]


class CoefficientEntry(Model):
    """From `step` on the coefficient has this value."""

    step: Annotated[int, Field(strict=True, ge=0)]
    """Environment steps of a member."""
    value: Coefficient


def _in_order(entries: tuple[CoefficientEntry, ...]) -> tuple[CoefficientEntry, ...]:
    steps = [entry.step for entry in entries]
    if steps[0] != 0 or any(later <= earlier for earlier, later in pairwise(steps)):
        raise PydanticCustomError(
            "coefficients_not_in_order",
            "the steps {steps} do not rise from 0",
            {"steps": steps, "remedy": "list entries by rising step, each step once, the first with step 0"},
        )
    return entries


def _different(arms: Sequence[float]) -> Sequence[float]:
    if len(set(arms)) != len(arms):
        raise PydanticCustomError("arm_repeated", "an arm is listed twice", {"remedy": "list each value once"})
    return arms


Arms = Annotated[tuple[Coefficient, ...], Field(min_length=2, max_length=16), AfterValidator(_different)]


class ScheduledCoefficient(Model):
    """Piecewise constant in the steps of a member. A new value comes into force at an `interval` of the method."""

    name: Literal["schedule"]
    values: Annotated[tuple[CoefficientEntry, ...], Field(min_length=1), AfterValidator(_in_order)]


class BanditCoefficient(Model):
    """Thompson sampling: an arm wins if the best fitness rose in the interval that it was used for."""

    name: Literal["bandit"]
    arms: Arms = (0.0, 0.5)
    """The first one is used until the first interval ends."""


class DvDSpec(Evolving):
    """Diversity via Determinants (Parker-Holder et al. 2020): one critic for all, and a joint loss for the policies,
    (1 - coefficient) * sum of their own losses - coefficient * log-determinant of their behaviours."""

    name: Literal["dvd"]
    coefficient: Annotated[ScheduledCoefficient | BanditCoefficient, Discriminator("name")] = BanditCoefficient(
        name="bandit"
    )
    length_scale: Annotated[float, Field(strict=True, gt=0, le=100)] = 0.5
    """Of the kernel between behaviours, in units of actions: their root mean squared difference over states and
    dimensions. Policies much farther apart than this no longer repel each other."""
    jitter: Annotated[float, Field(strict=True, ge=1e-6, le=1)] = 1e-4
    """Added to the kernel's diagonal, so that policies which coincide have a determinant and a gradient."""


def _problems(spec: "ExperimentSpec") -> Iterator[Problem]:
    """A schedule's values come into force at intervals."""
    method = spec.population.method
    assert isinstance(method, DvDSpec)
    if not isinstance(method.coefficient, ScheduledCoefficient):
        return
    if method.unit != "steps":
        yield Problem(
            path="population.method.unit",
            value=method.unit,
            message="a schedule of coefficients counts steps",
            remedy="leave it out",
        )
        return
    for place, entry in enumerate(method.coefficient.values):
        path = f"population.method.coefficient.values.{place}.step"
        if 0 < entry.step < method.burn_in:
            yield Problem(
                path=path,
                value=entry.step,
                message=f"nothing changes before burn_in ({method.burn_in})",
                remedy="lower burn_in",
            )


def _has_joint_policy_step(algorithm: AlgorithmDescription) -> bool:
    return algorithm.shared_critic is not None and algorithm.shared_critic.has_joint_policy_step


def _everyone(method: DvDSpec, size: int) -> int:
    del method
    return size


DVD = MethodDescription(
    spec=DvDSpec,
    engine="phylon.worker.population.dvd:dvd",
    title="DvD",
    summary="Policies that learn together and are kept apart by a joint loss (Parker-Holder et al. 2020).",
    moves_hyperparameters=False,
    joint=JointLearning(
        engine="phylon.worker.algorithms.joint:learn_diversely",
        trains=_has_joint_policy_step,
        learners=_everyone,
    ),
    smallest_size=2,
    problems=_problems,
)
