"""Soft Actor-Critic."""

from typing import Annotated, ClassVar, Literal

from pydantic import Field

from phylon.spec.algorithms.networks import MLPSpec, own
from phylon.spec.distributions import Model, NonNegative, Positive, PositiveRate, UnitInterval


class SACSpec(Model):
    """Soft Actor-Critic (Haarnoja et al. 2018). Defaults are those of the authors' code, weights start as fastpbrl's.

    SR-SAC (D'Oro et al. 2023) has `init: orthogonal` and `target_entropy_scale: 0.5`.
    """

    learns_from: ClassVar[Literal["replay"]] = "replay"

    name: Literal["sac"]
    batch_size: Annotated[int, Field(strict=True, ge=1, le=65536)] = 256
    network: Annotated[MLPSpec, own(init="fan_in")] = MLPSpec(init="fan_in")
    critics: Annotated[int, Field(strict=True, ge=1, le=16)] = 2
    temperature: Literal["adaptive", "fixed"] = "adaptive"
    """The weight of the policy's entropy beside the reward (alpha): learned, or a number of the spec."""

    policy_learning_rate: Positive = 3e-4
    critic_learning_rate: Positive = 3e-4
    temperature_learning_rate: Positive = 3e-4
    discount: UnitInterval = 0.99
    target_rate: PositiveRate = 0.005
    """Share of the online weights mixed into the target critics at each update (tau)."""
    reward_scale: Positive = 1.0
    """Rewards are multiplied by it; the larger, the less entropy counts."""
    initial_temperature: Positive = 1.0
    """Where an adaptive temperature starts. A fixed one stays there."""
    target_entropy_scale: NonNegative = 1.0
    """An adaptive temperature drives the policy's entropy to minus this number for each dimension of the action."""

    def unread(self) -> tuple[str, ...]:
        """Numbers that mean nothing where the temperature is fixed; tuning them would be a pretence."""
        return ("temperature_learning_rate", "target_entropy_scale") if self.temperature == "fixed" else ()
