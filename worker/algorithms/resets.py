"""Renews parts of a member (`phylon.spec.resets`). Its replay lies elsewhere and is never touched."""

from typing import Any

import jax

from phylon.spec.resets import ResetsSpec
from phylon.worker.core.types import Algorithm, Hyperparams, Key, Params, State


def reset(algorithm: Algorithm, spec: ResetsSpec, key: Key, hyperparams: Hyperparams, state: State) -> State:
    """The member after a reset. All that no part names stays as it is, to the bit.

    A key of its own for each reset, or every reset would lead back to the same weights.
    """
    fresh, layout = algorithm.init(key, hyperparams), algorithm.layout
    renewed: dict[str, Params] = {}
    for part in spec.parts or layout.parts:
        for field in layout.parts[part]:
            if field in layout.optimisers:  # moments of mixed weights would belong to neither
                renewed[field] = getattr(fresh, field)
            elif field in layout.targets:
                renewed[field] = renewed[layout.targets[field]]
            else:
                renewed[field] = _renew(spec, layout.output_layers, getattr(state, field), getattr(fresh, field))
    return state._replace(**renewed)


def _renew(spec: ResetsSpec, output_layers: tuple[str, ...], old: Params, fresh: Params) -> Params:
    """`fresh` weights where they are to be renewed, mixed with the share of `old` ones that is kept."""

    def renew(path: tuple[Any, ...], old: jax.Array, fresh: jax.Array) -> jax.Array:
        names = [str(entry.key) for entry in path]
        is_output = not names or any(name in output_layers for name in names)  # a bare number is an output by itself
        if spec.layers == "last" and not is_output:
            return old
        return spec.keep * old + (1 - spec.keep) * fresh if spec.keep else fresh

    return jax.tree_util.tree_map_with_path(renew, old, fresh)
