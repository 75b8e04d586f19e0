"""A normal distribution squashed by tanh: what a stochastic policy with bounded actions says (Haarnoja et al. 2018).

An action is a = tanh(u) with u normal, so by the change of variables

    log p(a) = sum over dimensions of log N(u; mean, std) - log(1 - tanh(u)²)

The correction is computed as 2 (log 2 - |u| - log(1 + exp(-2 |u|))), which is exact where 1 - tanh(u)² rounds to zero.
(`log1p` and `softplus` would add nothing to that sum but time: on a CPU they are computed number by number.)
"""

import math
from typing import NamedTuple

import jax
import jax.numpy as jnp

from phylon.worker.core.types import Array, Key


class TanhNormal(NamedTuple):
    """Independent in each dimension of the action: the last axis."""

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
