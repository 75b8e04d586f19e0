"""Deep Deterministic Policy Gradient."""

from typing import Annotated, ClassVar, Literal

from pydantic import Field

from phylon.spec.algorithms.networks import MLPSpec, own
from phylon.spec.distributions import Model, NonNegative, Positive, PositiveRate, UnitInterval


class DDPGSpec(Model):
    """Deep Deterministic Policy Gradient (Lillicrap et al. 2015). Defaults are those of SR-DDPG (D'Oro et al. 2023)."""

    learns_from: ClassVar[Literal["replay"]] = "replay"

    name: Literal["ddpg"]
    batch_size: Annotated[int, Field(strict=True, ge=1, le=65536)] = 256
    network: Annotated[MLPSpec, own(init="orthogonal")] = MLPSpec(init="orthogonal")

    policy_learning_rate: Positive = 3e-4
    critic_learning_rate: Positive = 3e-4
    discount: UnitInterval = 0.99
    target_rate: PositiveRate = 0.005
    """Share of the online weights mixed into the targets at each update (tau)."""
    exploration_noise: NonNegative = 0.1
    """Standard deviation of the noise on acting; actions live in [-1, 1]."""
