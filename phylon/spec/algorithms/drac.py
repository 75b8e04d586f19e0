"""Data-regularised Actor-Critic: PPO whose policy and value should treat an augmented image as the image itself."""

from typing import Annotated, ClassVar, Literal

from pydantic import AfterValidator

from phylon.policy.layers import proximal_policy
from phylon.registry.descriptions import AlgorithmDescription, MemoryDescription, StateDescription, always
from phylon.spec.algorithms.convolutions import ImpalaSpec, NetworkSpec
from phylon.spec.algorithms.decay import DecaySpec
from phylon.spec.algorithms.networks import own
from phylon.spec.algorithms.observations import are_square_colour_images
from phylon.spec.algorithms.ppo import (
    AdvantageNormalisation,
    Epochs,
    Minibatches,
    RolloutSteps,
    Torsos,
    minibatch_rows,
    proximal_learner,
)
from phylon.spec.distributions import (
    Model,
    NameChoice,
    Named,
    NonNegative,
    Positive,
    TunableName,
    Uniform,
    UnitInterval,
)

AUGMENTATION_NAMES = (
    "crop",
    "random-conv",
    "grayscale",
    "flip",
    "rotate",
    "cutout",
    "cutout-color",
    "color-jitter",
)


class DrACSpec(Model):
    """DrAC (Raileanu et al. 2021) for colour images. Defaults are those of the authors' code for Procgen."""

    learns_from: ClassVar[Literal["rollout"]] = "rollout"

    name: Literal["drac"]
    rollout_steps: RolloutSteps = 256
    """Steps of each environment between two updates."""
    epochs: Epochs = 3
    """Times that an update goes through its rollout."""
    minibatches: Minibatches = 8
    """Gradient steps of an epoch, on equal shares of the rollout."""
    network: Annotated[NetworkSpec, own(init="orthogonal")] = ImpalaSpec(kind="impala")
    torsos: Torsos = "shared"
    """Whether policy and value share all layers but the last."""
    value_clip: bool = True
    """Whether values, too, may move by no more than `clip` in an update."""
    advantage_normalisation: AdvantageNormalisation = "rollout"
    reward_normalisation: bool = True
    """Divide rewards by the running deviation of the discounted return."""
    learning_rate_decay: DecaySpec = DecaySpec()

    learning_rate: Positive = 5e-4
    discount: UnitInterval = 0.999
    gae_lambda: UnitInterval = 0.95
    """Trace decay of the advantages: 0 trusts the values, 1 the rewards."""
    clip: Positive = 0.2
    """How far the probability of an action may move in an update, as a share."""
    value_coefficient: Positive = 0.5
    entropy_coefficient: NonNegative = 0.01
    max_gradient_norm: Positive = 0.5
    augmentation: Annotated[TunableName, AfterValidator(Named(AUGMENTATION_NAMES))] = "crop"
    """How images are changed. A choice of names makes it a hyper-parameter of each member."""
    augmentation_coefficient: NonNegative = 0.1
    """Weight of the demand that policy and value do not mind the change."""


DRAC = AlgorithmDescription(
    spec=DrACSpec,
    engine="phylon.worker.algorithms.drac:drac",
    title="DrAC",
    summary="PPO on colour images with data augmentation, for generalisation to levels that were never seen.",
    defaults_source="the authors' code for Procgen (Raileanu et al. 2021)",
    search_space={
        "learning_rate": Uniform(uniform=(1e-5, 1e-3)),
        "clip": Uniform(uniform=(0.01, 0.5)),
        "entropy_coefficient": Uniform(uniform=(0.0, 0.2)),
        "augmentation_coefficient": Uniform(uniform=(0.01, 0.5)),
        "augmentation": NameChoice(choice=AUGMENTATION_NAMES),
    },
    search_source="procgen_autorl (Parker-Holder et al. 2021), all of it",
    actions=frozenset({"box", "discrete", "multi_discrete"}),
    # It looks at images and at their augmentations; that members compute every way of augmenting costs as much again.
    memory=MemoryDescription(proximal_learner, minibatch_rows, passes=3),
    state=always(StateDescription(network=("params",), optimisers=("optimiser",), statistics=("reward_scale",))),
    observes=are_square_colour_images,
    learning_rates=("learning_rate",),
    scales={"learning_rate": "log", "discount": "complement", "gae_lambda": "complement"},
    is_stochastic=True,
    policy=proximal_policy,
)
