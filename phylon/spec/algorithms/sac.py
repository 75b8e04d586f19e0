"""Soft Actor-Critic."""

from typing import Annotated, ClassVar, Literal

from pydantic import Field

from phylon.catalogue.entry import EnvironmentEntry
from phylon.forecast.networks import actor_critic
from phylon.forecast.sizes import Learner
from phylon.policy.layers import squashed_normal_policy
from phylon.registry.descriptions import (
    AlgorithmDescription,
    MemoryDescription,
    Refusal,
    SharedCritic,
    StateDescription,
    StudyDescription,
)
from phylon.spec.algorithms.decay import DecaySpec
from phylon.spec.algorithms.n_step import NStep
from phylon.spec.algorithms.networks import MLPSpec, own
from phylon.spec.algorithms.observations import ObservationsSpec, suit_network
from phylon.spec.distributions import LogUniform, Model, NonNegative, Positive, PositiveRate, Uniform, UnitInterval


class SACSpec(Model):
    """Soft Actor-Critic (Haarnoja et al. 2018). Defaults are those of the authors' code, weights start as fastpbrl's.

    SR-SAC (D'Oro et al. 2023) has `init: orthogonal` and `target_entropy_scale: 0.5`.
    """

    learns_from: ClassVar[Literal["replay"]] = "replay"

    name: Literal["sac"]
    batch_size: Annotated[int, Field(strict=True, ge=1, le=65536)] = 256
    n_step: NStep = 1
    """Steps whose rewards a target adds up before it bootstraps; fewer where the episode ends."""
    network: Annotated[MLPSpec, own(init="fan_in")] = MLPSpec(init="fan_in")
    observations: ObservationsSpec = ObservationsSpec()
    critics: Annotated[int, Field(strict=True, ge=1, le=16)] = 2
    temperature: Literal["adaptive", "fixed"] = "adaptive"
    """The weight of the policy's entropy beside the reward (alpha): learned, or a number of the spec."""
    learning_rate_decay: DecaySpec = DecaySpec()

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


def _learner(spec: SACSpec, entry: EnvironmentEntry, envs_per_member: int) -> Learner:
    del envs_per_member
    policy, critic = actor_critic(spec.network, entry, outputs=2, critics=spec.critics)
    temperature = 4 if spec.temperature == "adaptive" else 0  # its logarithm, and the optimiser's three numbers
    return Learner(policy, 3 * policy.weights + 1 + temperature, critic, 4 * critic.weights + 1)


def _state(spec: SACSpec) -> StateDescription:
    """Only an adaptive temperature is learned."""
    networks, optimisers = {"actor": ("policy",), "critic": ("critic",)}, ("policy_optimiser", "critic_optimiser")
    if spec.temperature == "adaptive":
        networks["temperature"], optimisers = ("log_temperature",), (*optimisers, "temperature_optimiser")
    return StateDescription(
        networks=networks,
        targets={"target_critic": "critic"},
        optimisers=optimisers,
        policy=("policy", "policy_optimiser"),
        output_layers=("output", "output_mean", "output_log_std"),
    )


def _unread(spec: SACSpec) -> dict[str, Refusal]:
    """Numbers that mean nothing where the temperature is fixed; tuning them would be a pretence."""
    if spec.temperature == "adaptive":
        return {}
    why = Refusal(
        "nothing reads it where the temperature is fixed",
        "leave it out, write a number, or write temperature: adaptive",
    )
    return {"temperature_learning_rate": why, "target_entropy_scale": why}


def _read_at_birth(spec: SACSpec) -> dict[str, str]:
    """An adaptive temperature starts there and is learned from then on; a fixed one is read at each update."""
    return {"initial_temperature": "temperature"} if spec.temperature == "adaptive" else {}


SAC = AlgorithmDescription(
    spec=SACSpec,
    engine="phylon.worker.algorithms.sac:sac",
    title="SAC",
    summary="Stochastic policy that is rewarded for its entropy, pessimistic critics; for continuous actions.",
    defaults_source="the authors' code (Haarnoja et al. 2018); weights start as in fastpbrl",
    search_space={
        "policy_learning_rate": LogUniform(log_uniform=(3e-5, 3e-3)),
        "critic_learning_rate": LogUniform(log_uniform=(3e-5, 3e-3)),
        "temperature_learning_rate": LogUniform(log_uniform=(3e-5, 3e-3)),
        "discount": Uniform(uniform=(0.9, 0.999)),
        "reward_scale": LogUniform(log_uniform=(0.1, 10.0)),
    },
    search_source="fastpbrl's PBT ranges (Flajolet et al. 2022); there the discount goes up to 1, the 0.999 is ours",
    actions=frozenset({"box"}),
    memory=MemoryDescription(_learner),
    state=_state,
    observes=suit_network,
    learning_rates=("policy_learning_rate", "critic_learning_rate", "temperature_learning_rate"),
    scales={
        "policy_learning_rate": "log",
        "critic_learning_rate": "log",
        "temperature_learning_rate": "log",
        "discount": "complement",
        "target_rate": "log",
        "reward_scale": "log",
        "initial_temperature": "log",
    },
    unread=_unread,
    is_stochastic=True,
    read_at_birth=_read_at_birth,
    shared_critic=SharedCritic(
        engine="phylon.worker.algorithms.shared_sac:shared_sac",
        numbers=("critic_learning_rate", "discount", "target_rate", "reward_scale"),
    ),
    study=StudyDescription(twin="phylon.worker.studies.torch_twins.sac:SACTwin"),
    policy=squashed_normal_policy,
)
