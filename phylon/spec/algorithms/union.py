"""The algorithms that a spec may name: all that are installed, plug-ins among them."""

from typing import TYPE_CHECKING, Annotated

from pydantic import Discriminator

if TYPE_CHECKING:
    from phylon.spec.algorithms.ddpg import DDPGSpec
    from phylon.spec.algorithms.dqn import DQNSpec
    from phylon.spec.algorithms.drac import DrACSpec
    from phylon.spec.algorithms.ppo import PPOSpec
    from phylon.spec.algorithms.sac import SACSpec
    from phylon.spec.algorithms.td3 import TD3Spec
    from phylon.spec.algorithms.toy import SurrogateAscentSpec, TriangleClimbSpec

    AlgorithmSpec = Annotated[
        TD3Spec | SACSpec | DDPGSpec | DQNSpec | PPOSpec | DrACSpec | SurrogateAscentSpec | TriangleClimbSpec,
        Discriminator("name"),
    ]
else:
    from phylon.registry import algorithms
    from phylon.spec.registered import union_of

    AlgorithmSpec = union_of(algorithms(), "algorithm")
"""Each says by `learns_from` whether it draws from a replay, or learns from each rollout once."""
