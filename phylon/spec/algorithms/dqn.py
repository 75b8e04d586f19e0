"""Deep Q-networks."""

from typing import Annotated, ClassVar, Literal

from pydantic import Field

from phylon.catalogue.entry import EnvironmentEntry
from phylon.forecast.networks import action_size, dueling, with_torso
from phylon.forecast.sizes import Learner
from phylon.policy.layers import action_value_policy
from phylon.registry.descriptions import (
    AlgorithmDescription,
    MemoryDescription,
    StateDescription,
    StudyDescription,
    always,
)
from phylon.spec.algorithms.convolutions import CNNSpec, NetworkSpec
from phylon.spec.algorithms.decay import DecaySpec
from phylon.spec.algorithms.n_step import NStep
from phylon.spec.algorithms.observations import ObservationsSpec, suit_network
from phylon.spec.distributions import (
    LogUniform,
    Model,
    Positive,
    PositiveInteger,
    PositiveRate,
    Uniform,
    UnitInterval,
)


class DQNSpec(Model):
    """Deep Q-network (Mnih et al. 2015). Defaults are those of the paper, with Adam in the place of RMSProp.

    The target network is hard (`target_rate: 1`, copied every `target_period` updates) or soft (`target_period: 1`, and
    a small `target_rate`).
    """

    learns_from: ClassVar[Literal["replay"]] = "replay"

    name: Literal["dqn"]
    batch_size: Annotated[int, Field(strict=True, ge=1, le=65536)] = 32
    n_step: NStep = 1
    """Steps whose rewards a target adds up before it bootstraps; fewer where the episode ends."""
    network: NetworkSpec = CNNSpec(kind="cnn")
    observations: ObservationsSpec = ObservationsSpec()
    dueling: bool = False
    """Two heads, one for the state's value and one for the actions' advantages (Wang et al. 2016)."""
    double: bool = False
    """The online network chooses the action that the target network values (van Hasselt et al. 2016)."""
    learning_rate_decay: DecaySpec = DecaySpec()

    learning_rate: Positive = 1e-4
    discount: UnitInterval = 0.99
    huber_delta: Positive = 1.0
    """Errors beyond it count linearly."""
    target_period: PositiveInteger = 10_000
    """Updates between two moves of the target network."""
    target_rate: PositiveRate = 1.0
    """Share of the online weights mixed into the target network at each of its moves; 1 copies them."""
    initial_epsilon: UnitInterval = 1.0
    """Share of random actions at a member's first update."""
    final_epsilon: UnitInterval = 0.1
    epsilon_decay: Positive = 250_000
    """Updates of a member over which its share of random actions falls, in a straight line. The paper's million steps
    have one update at every fourth."""


def _learner(spec: DQNSpec, entry: EnvironmentEntry, envs_per_member: int) -> Learner:
    del envs_per_member
    network = (dueling if spec.dueling else with_torso)(spec.network, entry.observation, action_size(entry))
    return Learner(network, 4 * network.weights + 3)


DQN = AlgorithmDescription(
    spec=DQNSpec,
    engine="phylon.worker.algorithms.dqn:dqn",
    title="DQN",
    summary="Values of discrete actions from images or vectors, double and dueling if asked for.",
    defaults_source="the paper (Mnih et al. 2015), with Adam in the place of RMSProp",
    search_space={
        "learning_rate": LogUniform(log_uniform=(1e-5, 1e-3)),
        "discount": Uniform(uniform=(0.9, 0.999)),
        "final_epsilon": LogUniform(log_uniform=(0.01, 0.2)),
    },
    search_source="ours: an order of magnitude around the defaults",
    actions=frozenset({"discrete"}),
    memory=MemoryDescription(_learner),
    state=always(
        StateDescription(
            networks={"critic": ("critic",)},
            targets={"target_critic": "critic"},
            optimisers=("critic_optimiser",),
        )
    ),
    observes=suit_network,
    learning_rates=("learning_rate",),
    scales={
        "learning_rate": "log",
        "discount": "complement",
        "target_period": "log",
        "target_rate": "log",
        "final_epsilon": "log",
        "epsilon_decay": "log",
    },
    paces={"epsilon_decay": 0.1, "target_period": 0.01},  # the defaults' own shares of ten million steps, and less
    updates_per_step=0.25,
    study=StudyDescription(
        network={"kind": "cnn"},
        has_images=True,
        twin="phylon.worker.studies.torch_twins.dqn:DQNTwin",
    ),
    policy=action_value_policy,
)
