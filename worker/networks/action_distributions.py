"""What a stochastic policy says whose actions are not squashed: a choice among several, or numbers without bounds."""

import math
from typing import NamedTuple, Protocol

import jax
import jax.numpy as jnp

from phylon.worker.core.types import Array, Key


class ActionDistribution(Protocol):
    """Leading axes are batch axes."""

    def sample(self, key: Key) -> Array: ...

    def mode(self) -> Array:
        """The likeliest action."""
        ...

    def log_prob(self, action: Array) -> Array: ...

    def entropy(self) -> Array: ...


class Categorical(NamedTuple):
    """One of several actions, int32 without an axis of its own."""

    logits: Array
    """[..., actions]; they need not be normalised."""

    def sample(self, key: Key) -> Array:
        return jax.random.categorical(key, self.logits).astype(jnp.int32)

    def mode(self) -> Array:
        return jnp.argmax(self.logits, axis=-1).astype(jnp.int32)

    def log_prob(self, action: Array) -> Array:
        return jnp.take_along_axis(jax.nn.log_softmax(self.logits), action[..., None], axis=-1)[..., 0]

    def entropy(self) -> Array:
        log_probs = jax.nn.log_softmax(self.logits)
        return -jnp.sum(jnp.exp(log_probs) * log_probs, axis=-1)


class DiagonalNormal(NamedTuple):
    """Independent in each dimension of the action: the last axis. Nothing is clipped.

    A sample is the very number whose density `log_prob` gives; whoever needs it within bounds clips a copy.
    """

    mean: Array
    log_std: Array

    def sample(self, key: Key) -> Array:
        return self.mean + jnp.exp(self.log_std) * jax.random.normal(key, self.mean.shape)

    def mode(self) -> Array:
        return self.mean

    def log_prob(self, action: Array) -> Array:
        standardised = (action - self.mean) * jnp.exp(-self.log_std)
        return -jnp.sum(0.5 * jnp.square(standardised) + self.log_std + 0.5 * math.log(2 * math.pi), axis=-1)

    def entropy(self) -> Array:
        return jnp.sum(self.log_std + 0.5 * math.log(2 * math.pi * math.e), axis=-1)
