"""What a stochastic policy returns: one categorical or several, a diagonal normal, or a normal squashed by tanh."""

import functools
import itertools
import math
from collections.abc import Iterable, Sequence
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


class FactoredCategorical(NamedTuple):
    """Several choices at once, independent of each other; actions are int32 [..., choices]."""

    factors: tuple[Categorical, ...]

    def sample(self, key: Key) -> Array:
        keys = jax.random.split(key, len(self.factors))
        return jnp.stack([factor.sample(key) for factor, key in zip(self.factors, keys, strict=True)], axis=-1)

    def mode(self) -> Array:
        return jnp.stack([factor.mode() for factor in self.factors], axis=-1)

    def log_prob(self, action: Array) -> Array:
        return sum_all(factor.log_prob(action[..., place]) for place, factor in enumerate(self.factors))

    def entropy(self) -> Array:
        return sum_all(factor.entropy() for factor in self.factors)


def factored(logits: Array, counts: Sequence[int]) -> FactoredCategorical:
    """From the logits of all choices end to end, [..., sum of counts]."""
    stops = list(itertools.accumulate(counts))
    stretches = [logits[..., stop - count : stop] for count, stop in zip(counts, stops, strict=True)]
    return FactoredCategorical(tuple(map(Categorical, stretches)))


def sum_all(values: Iterable[Array]) -> Array:
    return functools.reduce(jnp.add, values)


class DiagonalNormal(NamedTuple):
    """Independent per action dimension (the last axis). Nothing is clipped.

    A sample is exactly the number whose density `log_prob` gives; code that needs it within bounds clips a copy.
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


class TanhNormal(NamedTuple):
    """A normal distribution squashed by tanh (Haarnoja et al. 2018), independent per action dimension (the last axis).

    An action is a = tanh(u) with u normal, so by the change of variables

        log p(a) = sum over dimensions of log N(u; mean, std) - log(1 - tanh(u)²)

    The correction is computed as 2 (log 2 - |u| - log(1 + exp(-2 |u|))), which is exact where 1 - tanh(u)² rounds to
    zero. `log1p` and `softplus` would add only time to that sum: a CPU computes them one number at a time.
    """

    mean: Array
    """[..., action], before squashing."""
    log_std: Array

    def sample(self, key: Key) -> tuple[Array, Array]:
        """Actions [..., action] in [-1, 1] and their log-densities [...], with gradients to mean and log_std.

        Minus the log-density is an unbiased estimate of the entropy, which has no closed form.
        """
        raw = self.mean + jnp.exp(self.log_std) * jax.random.normal(key, self.mean.shape)
        return jnp.tanh(raw), self.log_prob(raw)

    def log_prob(self, raw: Array) -> Array:
        """Log-density of the action tanh(raw). Near ±1 the raw value could not be found again from the action."""
        standardised = (raw - self.mean) * jnp.exp(-self.log_std)
        normal = -0.5 * jnp.square(standardised) - self.log_std - 0.5 * math.log(2 * math.pi)
        distance = jnp.abs(raw)
        correction = 2 * (math.log(2) - distance - jnp.log(1 + jnp.exp(-2 * distance)))
        return jnp.sum(normal - correction, axis=-1)

    def mode(self) -> Array:
        """The action to take without noise: that of the normal distribution's peak."""
        return jnp.tanh(self.mean)
