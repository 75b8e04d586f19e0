"""The cross-entropy method over a tree of weights, with a diagonal Gaussian (as in CEM-RL, arXiv 1810.01222).

    noise    = decay * noise + (1 - decay) * final
    mean     = sum over elites of weight * sample
    variance = sum over elites of weight * (sample - OLD mean)² / number of elites + noise

Weights add up to one, and the variance is divided by the number of elites all the same: that is the authors' rule, and
fastpbrl's. So it follows the noise down, even where fitness is chance. Undivided it would sum up the noise of all
updates, until policies are random. Fitness is maximised.
"""

from typing import Literal, NamedTuple

import jax
import jax.numpy as jnp

from phylon.worker.core.types import Array, Key, Params
from phylon.worker.population.selection import ranks


class CEMState(NamedTuple):
    mean: Params
    variance: Params
    noise: Array
    """The variance that the latest update added."""


def begin(mean: Params, variance: float, noise: float) -> CEMState:
    return CEMState(mean, jax.tree.map(lambda leaf: jnp.full_like(leaf, variance), mean), jnp.float32(noise))


def elite_weights(fitness: Array, elites: int, scheme: Literal["log", "uniform"]) -> Array:
    """[P]: what each counts in the new mean; nothing for those who are not among the best, or diverged."""
    place = ranks(fitness) + 1
    value = jnp.log((elites + 1) / place) if scheme == "log" else jnp.ones(len(fitness))
    value = jnp.where((place <= elites) & ~jnp.isnan(fitness), value, 0.0)
    return value / jnp.sum(value)


def update(state: CEMState, samples: Params, weights: Array, decay: float, final: float) -> CEMState:
    """`samples` [P, ...] with the weights [P] of `elite_weights`, where elites are those whose weight is not zero."""
    noise = decay * state.noise + (1 - decay) * final

    def average(values: Array) -> Array:
        return jnp.tensordot(weights, values, axes=1)

    elites = jnp.sum(weights > 0)
    mean = jax.tree.map(average, samples)
    spread = jax.tree.map(lambda sample, old: average(jnp.square(sample - old[None])), samples, state.mean)
    return CEMState(mean, jax.tree.map(lambda leaf: leaf / elites + noise, spread), noise)


def deviation(state: CEMState) -> Array:
    """One number for all weights: the root of their mean variance."""
    leaves = jax.tree.leaves(state.variance)
    return jnp.sqrt(sum(jnp.sum(leaf) for leaf in leaves) / sum(leaf.size for leaf in leaves))


def sample(key: Key, state: CEMState, size: int, antithetic: bool) -> Params:
    """[size, ...]. Antithetic samples: the second half lie opposite to the first, about the mean, in the same order."""
    means, structure = jax.tree.flatten(state.mean)
    variances = jax.tree.leaves(state.variance)

    def draw(key: Key, mean: Array, variance: Array) -> Array:
        if not antithetic:
            directions = jax.random.normal(key, (size, *mean.shape))
        else:
            half = jax.random.normal(key, (-(-size // 2), *mean.shape))
            directions = jnp.concatenate([half, -half])[:size]
        return mean[None] + jnp.sqrt(variance)[None] * directions

    drawn = [draw(*leaf) for leaf in zip(jax.random.split(key, len(means)), means, variances, strict=True)]
    return jax.tree.unflatten(structure, drawn)
