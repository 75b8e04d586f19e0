"""What can be said about an algorithm. A field that is `Tunable` is a number per member; all others are structure."""

from typing import Annotated, Literal

from pydantic import AfterValidator, Field

from phylon.spec.distributions import (
    Distribution,
    Legal,
    Model,
    NonNegative,
    Positive,
    PositiveInteger,
    PositiveRate,
    UnitInterval,
)

Activation = Literal["relu", "elu", "tanh"]


class NetworkSpec(Model):
    """A multi-layer perceptron, used for policy and critics alike."""

    hidden: Annotated[
        tuple[Annotated[int, Field(strict=True, ge=1, le=8192)], ...], Field(min_length=1, max_length=8)
    ] = (256, 256)
    activation: Activation = "relu"


class TD3Spec(Model):
    """Twin Delayed DDPG (Fujimoto et al. 2018). Defaults are those of the authors' code."""

    name: Literal["td3"]
    batch_size: Annotated[int, Field(strict=True, ge=1, le=65536)] = 256
    network: NetworkSpec = NetworkSpec()
    critics: Annotated[int, Field(strict=True, ge=1, le=16)] = 2

    policy_learning_rate: Positive = 3e-4
    critic_learning_rate: Positive = 3e-4
    discount: UnitInterval = 0.99
    target_rate: PositiveRate = 0.005
    """Share of the online weights mixed into the targets at each policy step (tau)."""
    policy_delay: PositiveInteger = 2
    """Critic steps for each policy step."""
    exploration_noise: NonNegative = 0.1
    """Standard deviation of the noise on acting; actions live in [-1, 1]."""
    target_noise: NonNegative = 0.2
    """Standard deviation of the smoothing noise on target actions."""
    target_noise_clip: NonNegative = 0.5


AlgorithmSpec = TD3Spec
"""Grows to a union discriminated by `name` with the second algorithm."""


def hyperparameters(algorithm: AlgorithmSpec) -> dict[str, float | Distribution]:
    """The numbers of an algorithm by name, in declaration order."""
    return {name: getattr(algorithm, name) for name in tunable_fields(type(algorithm))}


def tuned(algorithm: AlgorithmSpec) -> dict[str, Distribution]:
    """The numbers that differ between members, which a method may change."""
    return {name: value for name, value in hyperparameters(algorithm).items() if isinstance(value, Model)}


def tunable_fields(algorithm: type[AlgorithmSpec]) -> list[str]:
    """A number is told from structure by its legal range, which only numbers declare."""
    return [
        name
        for name, field in algorithm.model_fields.items()
        if any(isinstance(item, AfterValidator) and isinstance(item.func, Legal) for item in field.metadata)
    ]
