"""The programs of one member, from which every strategy is built."""

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from numpy.typing import NDArray

from phylon.worker.core.keys import derive, update_keys
from phylon.worker.core.types import Algorithm, Array, Hyperparams, Key, State, Transition
from phylon.worker.execution.acting import own_parts
from phylon.worker.execution.interface import Population, Report

MemberUpdates = Callable[[State, Hyperparams, Any, Key, Array], tuple[State, Report]]
"""(state, hyper-parameters, batches or rollout, the member's key, the number of the first update)"""


def member_updates(algorithm: Algorithm) -> MemberUpdates:
    """What a member learns in one call: updates on batches [updates, batch, ...], scanned, or one on a rollout."""

    def learn_from_rollout(
        state: State, hyperparams: Hyperparams, rollout: Any, key: Key, first: Array
    ) -> tuple[State, Report]:
        state, metrics = algorithm.update(state, hyperparams, rollout, derive(key, first))
        return state, Report(metrics, hyperparams)

    if algorithm.learns_from == "rollout":
        return learn_from_rollout

    def run(
        state: State, hyperparams: Hyperparams, batches: Transition[Array], key: Key, first: Array
    ) -> tuple[State, Report]:
        def step(state: State, inputs: tuple[Transition[Array], Array]) -> tuple[State, dict[str, Array]]:
            batch, words = inputs
            return algorithm.update(state, hyperparams, batch, jax.random.wrap_key_data(words))

        keys = update_keys(key, first, batches.reward.shape[0])
        state, metrics = jax.lax.scan(step, state, (batches, keys))
        # Hyper-parameters are returned along with the state: through the same slicing, mapping and sharding.
        return state, Report({name: jnp.mean(values) for name, values in metrics.items()}, hyperparams)

    return run


def update_one_by_one(
    update: MemberUpdates, population: Population, hyperparams: Hyperparams, batches: Any, keys: Key, firsts: Array
) -> tuple[Population, Report]:
    """All members in turn, each written back to its slot: a donated population is never stacked again."""

    def step(population: Population, inputs: tuple[Array, Hyperparams, Any, Key, Array]) -> tuple[Population, Report]:
        slot, hyperparams, batches, key, first = inputs
        state, report = update(member_at(population, slot), hyperparams, batches, key, first)
        return put_member(population, slot, state), report

    slots = jnp.arange(len(keys))
    return jax.lax.scan(step, population, (slots, hyperparams, batches, keys, firsts))


def member_at(tree: Any, slot: Array) -> Any:
    return jax.tree.map(lambda leaf: jax.lax.dynamic_index_in_dim(leaf, slot, keepdims=False), tree)


def put_member(population: Population, slot: Array, state: State) -> Population:
    return jax.tree.map(
        lambda leaf, new: jax.lax.dynamic_update_index_in_dim(leaf, new, slot, axis=0), population, state
    )


def take_members(population: Population, parents: Array) -> Population:
    return jax.tree.map(lambda leaf: leaf[parents], population)


def checksum(population: Population) -> NDArray[np.uint32]:
    """Two words per member, [P, 2], from every bit of its state; equal members have equal words."""
    return np.asarray(_checksum_members(own_parts(population)))


def member_checksum(state: State) -> Array:
    """uint32 [2] from every bit of the state, by sums that wrap around. Each position has odd weights of its own."""
    bits = jnp.concatenate([_words(leaf) for leaf in jax.tree.leaves(state)])
    places = jnp.arange(bits.size, dtype=jnp.uint32)
    return jnp.stack([jnp.sum(bits * (2 * places + 1)), jnp.sum(bits * (places * jnp.uint32(0x9E3779B2) + 1))])


def _words(leaf: Array) -> Array:
    unsigned = jnp.dtype(f"uint{8 * leaf.dtype.itemsize}")
    return jax.lax.bitcast_convert_type(leaf, unsigned).astype(jnp.uint32).reshape(-1)


_checksum_members = jax.jit(jax.vmap(member_checksum))
