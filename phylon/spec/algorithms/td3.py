"""Twin Delayed DDPG."""

from typing import Annotated, ClassVar, Literal

from pydantic import Field

from phylon.spec.algorithms.networks import MLPSpec
from phylon.spec.distributions import (
    Model,
    NonNegative,
    Positive,
    PositiveInteger,
    PositiveRate,
    UnitInterval,
)


class TD3Spec(Model):
    """Twin Delayed DDPG (Fujimoto et al. 2018). Defaults are those of the authors' code."""

    learns_from: ClassVar[Literal["replay"]] = "replay"

    name: Literal["td3"]
    batch_size: Annotated[int, Field(strict=True, ge=1, le=65536)] = 256
    network: MLPSpec = MLPSpec()
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
