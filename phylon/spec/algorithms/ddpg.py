"""Deep Deterministic Policy Gradient."""

from typing import Annotated, ClassVar, Literal

from pydantic import Field

from phylon.catalogue.entry import EnvironmentEntry
from phylon.forecast.networks import actor_critic
from phylon.forecast.sizes import Learner
from phylon.policy.layers import deterministic_policy
from phylon.registry.descriptions import AlgorithmDescription, MemoryDescription, StudyDescription, always
from phylon.spec.algorithms.decay import DecaySpec
from phylon.spec.algorithms.n_step import NStep
from phylon.spec.algorithms.networks import MLPSpec, own
from phylon.spec.algorithms.observations import ObservationsSpec, suit_network
from phylon.spec.algorithms.td3 import DETERMINISTIC
from phylon.spec.distributions import LogUniform, Model, NonNegative, Positive, PositiveRate, Uniform, UnitInterval


class DDPGSpec(Model):
    """Deep Deterministic Policy Gradient (Lillicrap et al. 2015). Defaults are those of SR-DDPG (D'Oro et al. 2023)."""

    learns_from: ClassVar[Literal["replay"]] = "replay"

    name: Literal["ddpg"]
    batch_size: Annotated[int, Field(strict=True, ge=1, le=65536)] = 256
    n_step: NStep = 1
    """Steps whose rewards a target adds up before it bootstraps; fewer where the episode ends."""
    network: Annotated[MLPSpec, own(init="orthogonal")] = MLPSpec(init="orthogonal")
    observations: ObservationsSpec = ObservationsSpec()
    learning_rate_decay: DecaySpec = DecaySpec()

    policy_learning_rate: Positive = 3e-4
    critic_learning_rate: Positive = 3e-4
    discount: UnitInterval = 0.99
    target_rate: PositiveRate = 0.005
    """Share of the online weights mixed into the targets at each update (tau)."""
    exploration_noise: NonNegative = 0.2
    """Standard deviation of the noise on acting; actions live in [-1, 1]. As SR-DDPG was run; its class has 0.1."""


def _learner(spec: DDPGSpec, entry: EnvironmentEntry, envs_per_member: int) -> Learner:
    del envs_per_member
    policy, critic = actor_critic(spec.network, entry, outputs=1, critics=1)
    return Learner(policy, 4 * policy.weights + 1, critic, 4 * critic.weights + 1)


DDPG = AlgorithmDescription(
    spec=DDPGSpec,
    engine="phylon.worker.algorithms.ddpg:ddpg",
    title="DDPG",
    summary="Deterministic policy and one critic, for continuous actions and high replay ratios with resets.",
    defaults_source="SR-DDPG's code (D'Oro et al. 2023)",
    search_space={
        "policy_learning_rate": LogUniform(log_uniform=(3e-5, 3e-3)),
        "critic_learning_rate": LogUniform(log_uniform=(3e-5, 3e-3)),
        "discount": Uniform(uniform=(0.9, 0.999)),
        "exploration_noise": Uniform(uniform=(0.0, 1.0)),
    },
    search_source="ours: the ranges of TD3 for the numbers that both have",
    actions=frozenset({"box"}),
    memory=MemoryDescription(_learner),
    state=always(DETERMINISTIC),
    observes=suit_network,
    learning_rates=("policy_learning_rate", "critic_learning_rate"),
    scales={
        "policy_learning_rate": "log",
        "critic_learning_rate": "log",
        "discount": "complement",
        "target_rate": "log",
    },
    study=StudyDescription(twin="phylon.worker.studies.torch_twins.deterministic:DeterministicTwin"),
    policy=deterministic_policy,
)
