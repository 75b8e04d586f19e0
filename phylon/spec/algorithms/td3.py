"""Twin Delayed DDPG."""

from typing import Annotated, ClassVar, Literal

from pydantic import Field

from phylon.catalogue.entry import EnvironmentEntry
from phylon.forecast.networks import actor_critic
from phylon.forecast.sizes import Learner
from phylon.policy.layers import deterministic_policy
from phylon.registry.descriptions import (
    AlgorithmDescription,
    MemoryDescription,
    SharedCritic,
    StateDescription,
    StudyDescription,
    always,
)
from phylon.spec.algorithms.decay import DecaySpec
from phylon.spec.algorithms.n_step import NStep
from phylon.spec.algorithms.networks import MLPSpec
from phylon.spec.algorithms.observations import ObservationsSpec, suit_network
from phylon.spec.distributions import (
    IntUniform,
    LogUniform,
    Model,
    NonNegative,
    Positive,
    PositiveInteger,
    PositiveRate,
    Uniform,
    UnitInterval,
)


class TD3Spec(Model):
    """Twin Delayed DDPG (Fujimoto et al. 2018). Defaults are those of the authors' code."""

    learns_from: ClassVar[Literal["replay"]] = "replay"

    name: Literal["td3"]
    batch_size: Annotated[int, Field(strict=True, ge=1, le=65536)] = 256
    n_step: NStep = 1
    """Steps whose rewards a target adds up before it bootstraps; fewer where the episode ends."""
    network: MLPSpec = MLPSpec()
    observations: ObservationsSpec = ObservationsSpec()
    critics: Annotated[int, Field(strict=True, ge=1, le=16)] = 2
    learning_rate_decay: DecaySpec = DecaySpec()

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


def _learner(spec: TD3Spec, entry: EnvironmentEntry, envs_per_member: int) -> Learner:
    del envs_per_member
    policy, critic = actor_critic(spec.network, entry, outputs=1, critics=spec.critics)
    # Two scalars each: the steps of its optimiser; the policy's loss, the critic's steps.
    return Learner(policy, 4 * policy.weights + 2, critic, 4 * critic.weights + 2)


DETERMINISTIC = StateDescription(
    networks={"actor": ("policy",), "critic": ("critic",)},
    targets={"target_policy": "policy", "target_critic": "critic"},
    optimisers=("policy_optimiser", "critic_optimiser"),
    policy=("policy", "target_policy", "policy_optimiser"),
)
"""Of algorithms whose policy and critic both have a target."""

TD3 = AlgorithmDescription(
    spec=TD3Spec,
    engine="phylon.worker.algorithms.td3:td3",
    title="TD3",
    summary="Deterministic policy, pessimistic critics, delayed policy steps; for continuous actions.",
    defaults_source="the authors' code (Fujimoto et al. 2018)",
    search_space={
        "policy_learning_rate": LogUniform(log_uniform=(3e-5, 3e-3)),
        "critic_learning_rate": LogUniform(log_uniform=(3e-5, 3e-3)),
        "discount": Uniform(uniform=(0.9, 0.999)),
        "policy_delay": IntUniform(int_uniform=(1, 5)),
        "exploration_noise": Uniform(uniform=(0.0, 1.0)),
        "target_noise": Uniform(uniform=(0.0, 1.0)),
        "target_noise_clip": Uniform(uniform=(0.0, 1.0)),
    },
    search_source="fastpbrl's PBT ranges (Flajolet et al. 2022); there the discount goes up to 1, the 0.999 is ours",
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
    shared_critic=SharedCritic(
        engine="phylon.worker.algorithms.shared_td3:shared_td3",
        numbers=("critic_learning_rate", "discount", "target_rate", "policy_delay"),
        has_joint_policy_step=True,
    ),
    study=StudyDescription(twin="phylon.worker.studies.torch_twins.deterministic:DeterministicTwin"),
    policy=deterministic_policy,
)
