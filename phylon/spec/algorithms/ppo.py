"""Proximal Policy Optimisation."""

from typing import TYPE_CHECKING, Annotated, ClassVar, Literal

from pydantic import Field

from phylon.catalogue.entry import EnvironmentEntry
from phylon.forecast.networks import policy_and_value
from phylon.forecast.sizes import Learner
from phylon.policy.layers import proximal_policy
from phylon.registry.descriptions import (
    AlgorithmDescription,
    MemoryDescription,
    StateDescription,
    StudyDescription,
    always,
)
from phylon.spec.algorithms.convolutions import NetworkSpec
from phylon.spec.algorithms.decay import DecaySpec
from phylon.spec.algorithms.networks import MLPSpec, own
from phylon.spec.algorithms.observations import ObservationsSpec, suit_network
from phylon.spec.distributions import LogUniform, Model, NonNegative, Positive, Uniform, UnitInterval

if TYPE_CHECKING:
    from phylon.spec.algorithms.drac import DrACSpec

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
    observations: ObservationsSpec = ObservationsSpec()
    torsos: Torsos = "separate"
    """Whether policy and value share all layers but the last."""
    value_clip: bool = True
    """Whether values, too, may move by no more than `clip` in an update."""
    advantage_normalisation: AdvantageNormalisation = "minibatch"
    reward_normalisation: bool = True
    """Divide rewards by the running deviation of the discounted return."""
    learning_rate_decay: DecaySpec = DecaySpec()

    learning_rate: Positive = 3e-4
    discount: UnitInterval = 0.99
    gae_lambda: UnitInterval = 0.95
    """Trace decay of the advantages: 0 trusts the values, 1 the rewards."""
    clip: Positive = 0.2
    """How far the probability of an action may move in an update, as a share."""
    value_coefficient: Positive = 0.5
    entropy_coefficient: NonNegative = 0.0
    max_gradient_norm: Positive = 0.5


def proximal_learner(spec: "PPOSpec | DrACSpec", entry: EnvironmentEntry, envs_per_member: int) -> Learner:
    network = policy_and_value(spec.network, entry, is_shared=spec.torsos == "shared")
    scale = 3 + envs_per_member if spec.reward_normalisation else 0
    return Learner(network, 3 * network.weights + 1 + scale)


def minibatch_rows(spec: "PPOSpec | DrACSpec", transitions: int) -> int:
    return max(1, transitions // spec.minibatches)


def _one_rollout(updates: int, rows: int) -> dict[str, int]:
    """Gone through once, by as many gradient steps as it has steps."""
    del rows
    return {"rollout_steps": updates, "minibatches": updates, "epochs": 1}


PPO = AlgorithmDescription(
    spec=PPOSpec,
    engine="phylon.worker.algorithms.ppo:ppo",
    title="PPO",
    summary="Clipped policy gradient on each rollout; for continuous and discrete actions, vectors and images.",
    defaults_source="the authors' code for MuJoCo (Schulman et al. 2017)",
    search_space={
        "learning_rate": LogUniform(log_uniform=(1e-5, 1e-3)),
        "gae_lambda": Uniform(uniform=(0.9, 1.0)),
        "clip": Uniform(uniform=(0.1, 0.5)),
    },
    search_source=(
        "PB2's ranges for PPO (Parker-Holder et al. 2020), without the size of the rollout, which is structure here; "
        "there the learning rate is drawn uniformly, the order of magnitude is ours"
    ),
    actions=frozenset({"box", "discrete", "multi_discrete"}),
    memory=MemoryDescription(proximal_learner, minibatch_rows),
    state=always(StateDescription(network=("params",), optimisers=("optimiser",), statistics=("reward_scale",))),
    observes=suit_network,
    learning_rates=("learning_rate",),
    scales={"learning_rate": "log", "discount": "complement", "gae_lambda": "complement"},
    is_stochastic=True,
    study=StudyDescription(
        structure=_one_rollout,
        has_env_per_row=True,
        twin="phylon.worker.studies.torch_twins.ppo:PPOTwin",
    ),
    policy=proximal_policy,
)
