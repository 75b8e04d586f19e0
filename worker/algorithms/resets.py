"""Renews parts of a member (`phylon.spec.resets`). Its replay lies elsewhere and is never touched."""

import jax

from phylon.spec.resets import ResetsSpec
from phylon.worker.core.types import Algorithm, Hyperparams, Key, Params, State
from phylon.worker.networks import is_last

TARGET = "target_"
"""By convention the state's field `target_x` is the slowly moving copy of `x`, and stands after it in its part."""


def reset(algorithm: Algorithm, spec: ResetsSpec, key: Key, hyperparams: Hyperparams, state: State) -> State:
    """The member after a reset. All that no part names stays as it is, to the bit.

    A key of its own for each reset, or every reset would lead back to the same weights.
    """
    fresh = algorithm.init(key, hyperparams)
    renewed: dict[str, Params] = {}
    for part in spec.parts or algorithm.parts:
        for field in algorithm.parts[part]:
            if part == "optimisers":  # moments of mixed weights would belong to neither
                renewed[field] = getattr(fresh, field)
            elif field.startswith(TARGET):
                renewed[field] = renewed[field.removeprefix(TARGET)]
            else:
                renewed[field] = _renewed(spec, getattr(state, field), getattr(fresh, field))
    return state._replace(**renewed)


def _renewed(spec: ResetsSpec, old: Params, fresh: Params) -> Params:
    """`fresh` weights where they are to be renewed, mixed with the share of `old` ones that is kept."""

    def renew(path: tuple[jax.tree_util.KeyEntry, ...], old: jax.Array, fresh: jax.Array) -> jax.Array:
        if spec.layers == "last" and not is_last(path):
            return old
        return spec.keep * old + (1 - spec.keep) * fresh if spec.keep else fresh

    return jax.tree_util.tree_map_with_path(renew, old, fresh)
