"""Renews parts of a member (`phylon.spec.resets`). Its replay lies elsewhere and is never touched."""

from typing import Any

import jax
import jax.numpy as jnp

from phylon.spec.resets import ResetsSpec
from phylon.worker.core.types import Algorithm, Array, Hyperparams, Key, Params, State


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


def shrink_and_perturb(algorithm: Algorithm, key: Key, hyperparams: Hyperparams, state: State, shares: Array) -> State:
    """The member with weights `keep * old + fresh * newly drawn`; `shares` [2] are these two.

    Targets become copies, optimisers and running statistics stay, and so do single numbers such as a temperature.
    With (0, 1) all of the member is new, with (1, 0) nothing is touched.
    """
    keep, fresh = shares
    new, layout = algorithm.init(key, hyperparams), algorithm.layout

    def mix(old: Array, drawn: Array) -> Array:
        return keep * old + fresh * drawn if old.ndim else old

    mixed: dict[str, Params] = {
        field: jax.tree.map(mix, getattr(state, field), getattr(new, field)) for field in layout.weights
    }
    mixed |= {target: mixed[followed] for target, followed in layout.targets.items()}
    is_new, is_untouched = (keep == 0) & (fresh == 1), (keep == 1) & (fresh == 0)

    def choose(drawn: Array, old: Array, mixed: Array) -> Array:
        return jnp.where(is_new, drawn, jnp.where(is_untouched, old, mixed))

    return jax.tree.map(choose, new, state, state._replace(**mixed))


def _renew(spec: ResetsSpec, output_layers: tuple[str, ...], old: Params, fresh: Params) -> Params:
    """`fresh` weights where they are to be renewed, mixed with the share of `old` ones that is kept."""

    def renew(path: tuple[Any, ...], old: jax.Array, fresh: jax.Array) -> jax.Array:
        names = [str(entry.key) for entry in path]
        is_output = not names or any(name in output_layers for name in names)  # a bare number is an output by itself
        if spec.layers == "last" and not is_output:
            return old
        return spec.keep * old + (1 - spec.keep) * fresh if spec.keep else fresh

    return jax.tree_util.tree_map_with_path(renew, old, fresh)
