"""Deep Q-networks."""

from typing import Annotated, ClassVar, Literal

from pydantic import Field

from phylon.spec.algorithms.convolutions import CNNSpec, NetworkSpec
from phylon.spec.distributions import Model, Positive, PositiveInteger, PositiveRate, UnitInterval


class DQNSpec(Model):
    """Deep Q-network (Mnih et al. 2015). Defaults are those of the paper, with Adam in the place of RMSProp.

    The target network is hard (`target_rate: 1`, copied every `target_period` updates) or soft (`target_period: 1`, and
    a small `target_rate`).
    """

    learns_from: ClassVar[Literal["replay"]] = "replay"

    name: Literal["dqn"]
    batch_size: Annotated[int, Field(strict=True, ge=1, le=65536)] = 32
    network: NetworkSpec = CNNSpec(kind="cnn")
    dueling: bool = False
    """Two heads, one for the state's value and one for the actions' advantages (Wang et al. 2016)."""
    double: bool = False
    """The online network chooses the action that the target network values (van Hasselt et al. 2016)."""

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
    """Updates of a member over which its share of random actions falls, in a straight line."""
