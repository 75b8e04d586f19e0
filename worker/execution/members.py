"""The programs of one member, from which every strategy is built."""

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from numpy.typing import NDArray

from phylon.worker.core.keys import derive, update_keys
from phylon.worker.core.types import Algorithm, Array, Hyperparams, Joint, Key, State, Transition
from phylon.worker.execution.acting import own_parts
from phylon.worker.execution.interface import Population, Report, Workload

MemberUpdates = Callable[[State, Hyperparams, Any, Key, Array], tuple[State, Report]]
"""(state, hyper-parameters, batches or rollout, the member's key, the number of the first update)"""


def member_updates(algorithm: Algorithm) -> MemberUpdates:
    """What a member learns in one call: updates on batches [updates, batch, ...], scanned, or one on a rollout."""

    def learn_from_rollout(
        state: State, hyperparams: Hyperparams, rollout: Any, key: Key, first: Array
    ) -> tuple[State, Report]:
        now, scheduled = algorithm.schedule(hyperparams, first)
        state, metrics = algorithm.update(state, now, rollout, derive(key, first))
        return state, Report(metrics | scheduled, hyperparams)

    if algorithm.learns_from == "rollout":
        return learn_from_rollout

    def run(
        state: State, hyperparams: Hyperparams, batches: Transition[Array], key: Key, first: Array
    ) -> tuple[State, Report]:
        def step(state: State, inputs: tuple[Transition[Array], Array, Array]) -> tuple[State, dict[str, Array]]:
            batch, words, number = inputs
            now, scheduled = algorithm.schedule(hyperparams, number)
            state, metrics = algorithm.update(state, now, batch, jax.random.wrap_key_data(words))
            return state, metrics | scheduled

        count = batches.reward.shape[0]
        numbers = first + jnp.arange(count, dtype=jnp.uint32)
        state, metrics = jax.lax.scan(step, state, (batches, update_keys(key, first, count), numbers))
        # Hyper-parameters are returned along with the state: through the same slicing, mapping and sharding.
        return state, Report({name: jnp.mean(values) for name, values in metrics.items()}, hyperparams)

    return run


def learning_keys(work: Workload, key: Array) -> Key:
    """Of each member here, from the words of the run's key; the numbers of updates are folded in later."""
    return work.keys(derive(jax.random.wrap_key_data(key), "update"))


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


def find_finite_members(population: Population) -> NDArray[np.bool_]:
    """[P]: whether every number of a member's own is finite."""
    return np.asarray(_find_finite_members(own_parts(population)))


def is_all_finite(tree: Any) -> bool:
    return bool(_is_all_finite(tree))


def blank_members(population: Population, is_blank: NDArray[np.bool_]) -> Population:
    """The population in which those members' own parts are zeros; all else stays to the bit."""
    blanked = _blank_members(own_parts(population), is_blank)
    return population._replace(members=blanked) if isinstance(population, Joint) else blanked


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


def is_member_finite(state: State) -> Array:
    numbers = [leaf for leaf in jax.tree.leaves(state) if jnp.issubdtype(leaf.dtype, jnp.inexact)]
    return jnp.all(jnp.stack([jnp.all(jnp.isfinite(leaf)) for leaf in numbers]))


def _blank_member(state: State, is_blank: Array) -> State:
    return jax.tree.map(lambda leaf: jnp.where(is_blank, jnp.zeros_like(leaf), leaf), state)


_checksum_members = jax.jit(jax.vmap(member_checksum))
_find_finite_members = jax.jit(jax.vmap(is_member_finite))
_is_all_finite = jax.jit(is_member_finite)
_blank_members = jax.jit(jax.vmap(_blank_member))
