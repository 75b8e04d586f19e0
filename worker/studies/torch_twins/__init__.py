"""The algorithms' updates in PyTorch, as one would write them by hand: what the engine is compared with.

A twin is one member's learner (`members=None`: modules, fused Adam), or the whole population's, vectorized by hand:
weights [members, in, out], batched matrix products, grouped convolutions and an Adam with a learning rate for each
member. Both are the same code over two kinds of layers. Random numbers are drawn apart from their use, so that a test
can give both frameworks the same ones.
"""

from collections.abc import Callable
from typing import Any

from phylon.spec import AlgorithmSpec
from phylon.worker.studies.torch_twins.deterministic import DeterministicTwin
from phylon.worker.studies.torch_twins.dqn import DQNTwin
from phylon.worker.studies.torch_twins.ppo import PPOTwin
from phylon.worker.studies.torch_twins.sac import SACTwin
from phylon.worker.studies.torch_twins.twin import Twin

__all__ = ["Twin", "build_twin"]

TWINS: dict[str, Callable[..., Twin]] = {
    "td3": DeterministicTwin,
    "ddpg": DeterministicTwin,
    "sac": SACTwin,
    "dqn": DQNTwin,
    "ppo": PPOTwin,
}


def build_twin(spec: AlgorithmSpec, members: int | None, device: Any, compiled: bool) -> Twin:
    return TWINS[spec.name](spec, members, device, compiled)
