"""What can be said about an algorithm. A field with a legal range is a number per member; all others are structure.

`AlgorithmSpec` is the union of all that are installed, plug-ins among them.
"""

from typing import TYPE_CHECKING

from phylon.lazy_names import load_lazily

if TYPE_CHECKING:
    from phylon.spec.algorithms.ddpg import DDPGSpec
    from phylon.spec.algorithms.dqn import DQNSpec
    from phylon.spec.algorithms.drac import DrACSpec
    from phylon.spec.algorithms.networks import MLPSpec
    from phylon.spec.algorithms.ppo import PPOSpec
    from phylon.spec.algorithms.sac import SACSpec
    from phylon.spec.algorithms.td3 import TD3Spec
    from phylon.spec.algorithms.toy import SurrogateAscentSpec, TriangleClimbSpec
    from phylon.spec.algorithms.tunable import hyperparameters, names_of, tunable_fields, tuned
    from phylon.spec.algorithms.union import AlgorithmSpec

__all__ = [
    "AlgorithmSpec",
    "DDPGSpec",
    "DQNSpec",
    "DrACSpec",
    "MLPSpec",
    "PPOSpec",
    "SACSpec",
    "SurrogateAscentSpec",
    "TD3Spec",
    "TriangleClimbSpec",
    "hyperparameters",
    "names_of",
    "tunable_fields",
    "tuned",
]

__getattr__ = load_lazily(
    __name__,
    {
        "ddpg": ("DDPGSpec",),
        "dqn": ("DQNSpec",),
        "drac": ("DrACSpec",),
        "tunable": ("hyperparameters", "names_of", "tunable_fields", "tuned"),
        "networks": ("MLPSpec",),
        "ppo": ("PPOSpec",),
        "sac": ("SACSpec",),
        "td3": ("TD3Spec",),
        "toy": ("SurrogateAscentSpec", "TriangleClimbSpec"),
        "union": ("AlgorithmSpec",),
    },
)
