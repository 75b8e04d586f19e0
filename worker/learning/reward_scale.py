"""Rewards brought to a common scale: divided by the running deviation of the discounted return, mean untouched.

What the authors of PPO do in their code, and one of the details that their results rest on (Engstrom et al. 2020,
arXiv 2005.12729). The statistics are part of a member's state, so they go wherever its weights go.
"""

from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from phylon.worker.core.types import Array

CLIP = 10.0
"""Scaled rewards are cut off here, as in the authors' code."""


class Moments(NamedTuple):
    """Count, mean and variance of all values seen; float32 scalars."""

    count: Array
    mean: Array
    variance: Array


class RewardScale(NamedTuple):
    moments: Moments
    """Of the discounted returns."""
    returns: Array
    """[envs]: discounted sum of the rewards that each environment has given since its episode began."""


def reward_scale_init(envs: int) -> RewardScale:
    """A first guess of variance 1, worth a ten-thousandth of an observation."""
    moments = Moments(jnp.full((), 1e-4, jnp.float32), jnp.zeros(()), jnp.ones(()))
    return RewardScale(moments, jnp.zeros(envs))


def scale_rewards(scale: RewardScale, reward: Array, ended: Array, discount: Array) -> tuple[Array, RewardScale]:
    """Rewards [steps, envs] divided by a scale that takes them into account; `ended` is 1 at an episode's last step."""

    def step(returns: Array, inputs: tuple[Array, Array]) -> tuple[Array, Array]:
        reward, ended = inputs
        returns = discount * returns + reward
        return (1 - ended) * returns, returns

    carried, returns = jax.lax.scan(step, scale.returns, (reward, ended))
    moments = merge_moments(scale.moments, moments_of(returns))
    scaled = jnp.clip(reward / jnp.sqrt(moments.variance + 1e-8), -CLIP, CLIP)
    return scaled, RewardScale(moments, carried)


def cut_returns(scale: RewardScale) -> RewardScale:
    """In host memory: all episodes were cut off, and what comes next belongs to new ones."""
    return scale._replace(returns=np.zeros_like(scale.returns))


def moments_of(values: Array) -> Moments:
    return Moments(jnp.full((), values.size, jnp.float32), jnp.mean(values), jnp.var(values))


def merge_moments(left: Moments, right: Moments) -> Moments:
    """Of both samples together (Chan et al. 1979)."""
    count = left.count + right.count
    difference = right.mean - left.mean
    share = right.count / count
    variance = (1 - share) * left.variance + share * right.variance + share * (1 - share) * jnp.square(difference)
    return Moments(count, left.mean + share * difference, variance)
