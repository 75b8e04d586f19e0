"""Hyper-parameters for the members that are replaced in one evolution, one after the other.

Gains are modelled by their ranks, as normal scores: one lucky interval must not bend the model. Intervals that are
about to run enter as if their gain were what the model expects. That leaves its mean alone and lowers its deviation
near them, by which the members of a batch keep apart.
"""

from typing import NamedTuple

import jax
import jax.numpy as jnp

from phylon.worker.core.types import Array, Key
from phylon.worker.population.pb2 import gaussian_process as gp
from phylon.worker.population.pb2.fitting import fit
from phylon.worker.population.pb2.kernels import Inputs
from phylon.worker.population.pb2.observations import Observations, to_unit
from phylon.worker.population.pb2.proposal import Pending
from phylon.worker.population.trust_region.kernel import (
    Parameters,
    limits_of,
    numbers_alone,
    numbers_and_categories,
)
from phylon.worker.population.trust_region.region import Region, box_around
from phylon.worker.population.trust_region.search import maximise


class Suggestion(NamedTuple):
    """For one member. Predictions are normal scores of the gain: 0 is the median of all that is remembered."""

    numbers: Array
    """float32 [d] in the unit box."""
    categories: Array
    """int32 [m]."""
    mean: Array
    deviation: Array
    """With the noise of an observation."""
    acquisition: Array


def suggest(
    key: Key,
    optimism: float,
    arms: tuple[int, ...],
    observations: Observations,
    pending: Pending,
    slots: Array,
    region: Region,
    previous: Parameters,
) -> tuple[Suggestion, Parameters]:
    """For each of `slots` [k] in turn, suggestions being [k, ...], and the parameters of the fit.

    Until a slot has its turn, `pending` holds the hyper-parameters of the member that it copies: the region's centre.
    """
    fit_key, pick_key = jax.random.split(key)
    kernel = numbers_and_categories if arms else numbers_alone
    past, context = _inputs(observations, pending)
    now = jnp.max(jnp.where(observations.is_there, observations.round, 0.0))
    data = gp.Data(past, normal_scores(observations.gain, observations.is_there), observations.is_there)
    parameters = fit(fit_key, kernel, data, previous, limits_of(past.numbers.shape[-1]))
    posterior = gp.condition(kernel, parameters, data)

    def step(pending: Pending, turn: tuple[Key, Array]) -> tuple[Pending, Suggestion]:
        key, slot = turn
        coming = Inputs(
            jnp.full(len(context), now), jnp.concatenate([context, pending.numbers], axis=-1), pending.categories
        )
        with_pending = gp.condition(
            kernel,
            parameters,
            gp.Data(
                jax.tree.map(lambda *parts: jnp.concatenate(parts), past, coming),
                jnp.zeros(len(past.time) + len(context)),  # only the variance is asked for
                jnp.concatenate([data.is_there, pending.is_there]),
            ),
        )

        def predict(points: Array, categories: Array) -> tuple[Array, Array]:
            contexts = jnp.broadcast_to(context[slot][None, :], (len(points), 1))
            inputs = Inputs(jnp.full(len(points), now), jnp.concatenate([contexts, points], axis=-1), categories)
            variance = gp.predict_variance(kernel, with_pending, inputs) + parameters.noise
            return gp.predict_mean(kernel, posterior, inputs), jnp.sqrt(variance)

        def score(points: Array, categories: Array) -> Array:
            mean, deviation = predict(points, categories)
            return mean + optimism * deviation

        box = box_around(region, pending.numbers[slot], pending.categories[slot], parameters.length_scales[1:])
        numbers, categories = maximise(key, score, box, arms)
        mean, deviation = (value[0] for value in predict(numbers[None, :], categories[None, :]))
        pending = pending._replace(
            numbers=pending.numbers.at[slot].set(numbers),
            categories=pending.categories.at[slot].set(categories),
            is_there=pending.is_there.at[slot].set(True),
        )
        return pending, Suggestion(numbers, categories, mean, deviation, mean + optimism * deviation)

    _, suggestions = jax.lax.scan(step, pending, (jax.random.split(pick_key, len(slots)), slots))
    return suggestions, parameters


def normal_scores(values: Array, is_there: Array) -> Array:
    """The Gaussian copula of values [n]: the normal quantile of each one's rank, ties alike; 0 where there is none."""
    both = is_there[:, None] & is_there[None, :]
    below = jnp.sum(both & (values[None, :] < values[:, None]), axis=-1)
    alike = jnp.sum(both & (values[None, :] == values[:, None]), axis=-1)
    share = (below + 0.5 * alike) / jnp.maximum(jnp.sum(is_there), 1)
    return jnp.where(is_there, jax.scipy.stats.norm.ppf(jnp.where(is_there, share, 0.5)), 0.0)


def _inputs(observations: Observations, pending: Pending) -> tuple[Inputs, Array]:
    """Of the observations, and the context [P, 1] of the coming intervals, on one scale with theirs."""
    starts = jnp.concatenate([observations.start, pending.start])
    context = to_unit(starts, jnp.concatenate([observations.is_there, jnp.isfinite(pending.start)]))[:, None]
    size = len(observations.start)
    numbers = jnp.concatenate([context[:size], observations.numbers], axis=-1)
    return Inputs(observations.round, numbers, observations.categories), context[size:]
