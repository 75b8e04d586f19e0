"""Random keys without state: a key is derived from what it is for, so a checkpoint holds counters and no generator.

key = derive(run_key, "explore", segment)      # a purpose and a counter
keys = member_keys(key, population_size)       # one for each slot; a slot's key does not depend on the size
words = update_keys(own_key, first, count)     # one for each update of a member, however updates are divided into calls
"""

import zlib

import jax
import jax.numpy as jnp

from phylon.worker.core.types import Array, Key


def derive(key: Key, *path: str | int | Array) -> Key:
    """The key found by following `path` from `key`: words by their checksum, counters by value (they may be traced)."""
    for part in path:
        key = jax.random.fold_in(key, zlib.crc32(part.encode()) if isinstance(part, str) else part)
    return key


def member_keys(key: Key, size: int, first: int = 0) -> Key:
    """Keys [size], one for each slot from `first` on."""
    return jax.vmap(jax.random.fold_in, in_axes=(None, 0))(key, first + jnp.arange(size))


def update_keys(key: Key, first: int | Array, count: int) -> Array:
    """Keys of `count` updates from the one with the number `first` on: uint32 [count, 2].

    As plain words: JAX's check for reused keys takes keys that are scanned under `vmap` for used ones.
    """
    numbers = first + jnp.arange(count, dtype=jnp.uint32)
    return jax.random.key_data(jax.vmap(jax.random.fold_in, in_axes=(None, 0))(key, numbers))
