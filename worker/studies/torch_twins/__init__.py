"""The algorithms' updates in PyTorch, as one would write them by hand: what the engine is compared with.

A twin is one member's learner (`members=None`: modules, fused Adam), or the whole population's, vectorized by hand:
weights [members, in, out], batched matrix products, grouped convolutions and an Adam with a learning rate for each
member. Both are the same code over two kinds of layers. Random numbers are drawn apart from their use, so that a test
can give both frameworks the same ones.
"""

from pkgutil import resolve_name
from typing import Any

from phylon.spec import AlgorithmSpec
from phylon.spec.registered import describe_algorithm
from phylon.worker.studies.contender import NotApplicable
from phylon.worker.studies.torch_twins.twin import Twin

__all__ = ["Twin", "build_twin"]


def build_twin(spec: AlgorithmSpec, members: int | None, device: Any, compiled: bool) -> Twin:
    study = describe_algorithm(spec).study
    if study is None or study.twin is None:
        raise NotApplicable(f"{spec.name} has no counterpart in PyTorch")
    return resolve_name(study.twin)(spec, members, device, compiled)
