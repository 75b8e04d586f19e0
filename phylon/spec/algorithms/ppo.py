"""Proximal Policy Optimisation."""

from typing import Annotated, ClassVar, Literal

from pydantic import Field

from phylon.spec.algorithms.convolutions import NetworkSpec
from phylon.spec.algorithms.networks import MLPSpec, own
from phylon.spec.distributions import Model, NonNegative, Positive, UnitInterval

RolloutSteps = Annotated[int, Field(strict=True, ge=1, le=65536)]
Epochs = Annotated[int, Field(strict=True, ge=1, le=100)]
Minibatches = Annotated[int, Field(strict=True, ge=1, le=4096)]
AdvantageNormalisation = Literal["none", "minibatch", "rollout"]
Torsos = Literal["shared", "separate"]


class PPOSpec(Model):
    """Proximal Policy Optimisation (Schulman et al. 2017). Defaults are those of the authors' code for MuJoCo.

    Actions are whole numbers (a categorical policy) or real ones (a Gaussian whose deviation does not depend on the
    observation), as the environment has it.
    """

    learns_from: ClassVar[Literal["rollout"]] = "rollout"

    name: Literal["ppo"]
    rollout_steps: RolloutSteps = 2048
    """Steps of each environment between two updates."""
    epochs: Epochs = 10
    """Times that an update goes through its rollout."""
    minibatches: Minibatches = 32
    """Gradient steps of an epoch, on equal shares of the rollout."""
    network: Annotated[NetworkSpec, own(activation="tanh", init="orthogonal")] = MLPSpec(
        hidden=(64, 64), activation="tanh", init="orthogonal"
    )
    torsos: Torsos = "separate"
    """Whether policy and value share all layers but the last."""
    value_clip: bool = True
    """Whether values, too, may move by no more than `clip` in an update."""
    advantage_normalisation: AdvantageNormalisation = "minibatch"
    reward_normalisation: bool = True
    """Divide rewards by the running deviation of the discounted return."""

    learning_rate: Positive = 3e-4
    discount: UnitInterval = 0.99
    gae_lambda: UnitInterval = 0.95
    """Trace decay of the advantages: 0 trusts the values, 1 the rewards."""
    clip: Positive = 0.2
    """How far the probability of an action may move in an update, as a share."""
    value_coefficient: Positive = 0.5
    entropy_coefficient: NonNegative = 0.0
    max_gradient_norm: Positive = 0.5
