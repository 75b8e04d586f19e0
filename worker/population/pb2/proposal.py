"""Numbers for the members that are replaced in one evolution, one after the other, from a model of past gains.

The model is fitted to what was observed. Its mean comes from that alone; its variance also counts every interval that
is about to run, of survivors and of those who were given their numbers just before, though no one knows how these will
end: GP-BUCB (Desautels et al. 2014), by which a batch spreads out.
"""

from typing import NamedTuple

import jax
import jax.numpy as jnp

from phylon.spec.methods.pb2 import OptimismSpec
from phylon.worker.core.types import Array, Key
from phylon.worker.population.pb2 import gaussian_process as gp
from phylon.worker.population.pb2.acquisition import confidence, maximise
from phylon.worker.population.pb2.fitting import fit
from phylon.worker.population.pb2.kernels import Inputs, KernelFn, Parameters, compare, is_same_category
from phylon.worker.population.pb2.observations import Observations, Scale, standardise, to_unit


class Pending(NamedTuple):
    """The coming interval of each slot, [P, ...]."""

    start: Array
    """Fitness of the weights that it begins with; NaN if unknown."""
    numbers: Array
    """float32 [P, d] in the unit box; anything where they are still to be chosen."""
    categories: Array
    """int32 [P, m], as chosen."""
    is_there: Array
    """bool [P]: its numbers are known."""


class Model(NamedTuple):
    """What a method believes about categories."""

    kernel: KernelFn
    is_within_category: bool = False
    """Observations of other categories say nothing, so an unknown category has to go without a model."""


class Fitted(NamedTuple):
    data: gp.Data
    posterior: gp.Posterior
    scale: Scale
    levels: Array
    """float32 [n]: what was taken from each standardised gain, the mean of its category or 0."""


class Proposal(NamedTuple):
    """For one member. Predictions are in units of fitness gained in an interval."""

    numbers: Array
    """float32 [d] in the unit box."""
    is_modelled: Array
    """bool: there was something to learn from."""
    mean: Array
    deviation: Array
    acquisition: Array
    parameters: Parameters


def propose(
    key: Key,
    model: Model,
    optimism: OptimismSpec,
    observations: Observations,
    pending: Pending,
    slots: Array,
    previous: Parameters,
) -> tuple[Proposal, Parameters]:
    """Numbers for each of `slots` [k] in turn, proposals being [k, ...], and the parameters of the fit."""
    fit_key, pick_key = jax.random.split(key)
    inputs, coming = _inputs(observations, pending)
    fitted = _fit(fit_key, model, inputs, observations, previous)

    def step(pending: Pending, turn: tuple[Key, Array]) -> tuple[Pending, Proposal]:
        key, slot = turn
        proposal = _pick(key, model, optimism, fitted, coming, pending, slot)
        return _with(pending, slot, proposal), proposal

    _, proposals = jax.lax.scan(step, pending, (jax.random.split(pick_key, len(slots)), slots))
    return proposals, fitted.posterior.parameters


def _inputs(observations: Observations, pending: Pending) -> tuple[Inputs, Inputs]:
    """Of the observations, and of the coming intervals, whose numbers are filled in later.

    Starting fitness is one number among the others, on the scale of all that occur.
    """
    starts = jnp.concatenate([observations.start, pending.start])
    context = to_unit(starts, jnp.concatenate([observations.is_there, jnp.isfinite(pending.start)]))
    size = len(observations.start)
    now = jnp.max(jnp.where(observations.is_there, observations.round, 0.0)) + 1
    past = Inputs(observations.round, _with_context(context[:size], observations.numbers), observations.categories)
    coming = Inputs(
        jnp.full(len(pending.start), now), _with_context(context[size:], pending.numbers), pending.categories
    )
    return past, coming


def _with_context(context: Array, numbers: Array) -> Array:
    return jnp.concatenate([context[:, None], numbers], axis=-1)


def _fit(key: Key, model: Model, inputs: Inputs, observations: Observations, previous: Parameters) -> Fitted:
    is_there = observations.is_there
    standard, scale = standardise(observations.gain, is_there)
    levels = jnp.zeros_like(standard)
    if model.is_within_category:
        is_same = is_same_category(compare(inputs, inputs)) & is_there[None, :]
        levels = jnp.where(is_there, jnp.sum(jnp.where(is_same, standard[None, :], 0.0), axis=-1), 0.0)
        levels = levels / jnp.maximum(jnp.sum(is_same, axis=-1), 1)
    data = gp.Data(inputs, standard - levels, is_there)
    parameters = fit(key, model.kernel, data, previous)
    return Fitted(data, gp.condition(model.kernel, parameters, data), scale, levels)


def _pick(
    key: Key,
    model: Model,
    optimism: OptimismSpec,
    fitted: Fitted,
    coming: Inputs,
    pending: Pending,
    slot: Array,
) -> Proposal:
    data, posterior, scale, levels = fitted
    kernel = model.kernel
    context = coming.numbers[:, :1]
    rivals = coming._replace(numbers=jnp.concatenate([context, pending.numbers], axis=-1))
    joint = gp.Data(
        jax.tree.map(lambda *parts: jnp.concatenate(parts), data.inputs, rivals),
        jnp.concatenate([data.targets, jnp.zeros_like(pending.start)]),
        jnp.concatenate([data.is_there, pending.is_there]),
    )
    with_pending = gp.condition(kernel, posterior.parameters, joint)
    is_told = data.is_there
    if model.is_within_category:
        is_told = is_told & jnp.all(data.inputs.categories == pending.categories[slot][None, :], axis=-1)
    count = jnp.sum(is_told)
    level = jnp.sum(jnp.where(is_told, levels, 0.0)) / jnp.maximum(count, 1)
    optimism_now = confidence(count, optimism.scale, optimism.growth)

    def here(points: Array) -> Inputs:
        def repeat(row: Array) -> Array:
            return jnp.broadcast_to(row, (len(points), *row.shape))

        numbers = jnp.concatenate([repeat(context[slot]), points], axis=-1)
        return Inputs(repeat(coming.time[slot]), numbers, repeat(coming.categories[slot]))

    def predict(points: Array) -> tuple[Array, Array]:
        inputs = here(points)
        variance = gp.predict_variance(kernel, with_pending, inputs)
        return gp.predict_mean(kernel, posterior, inputs), jnp.sqrt(variance)

    def score(points: Array) -> Array:
        mean, deviation = predict(points)
        return mean + optimism_now * deviation

    best = maximise(key, score, pending.numbers.shape[-1])
    mean, deviation = (value[0] for value in predict(best[None, :]))
    mean = mean + level
    return Proposal(
        numbers=best,
        is_modelled=count > 0,
        mean=scale.centre + scale.spread * mean,
        deviation=scale.spread * deviation,
        acquisition=scale.centre + scale.spread * (mean + optimism_now * deviation),
        parameters=posterior.parameters,
    )


def _with(pending: Pending, slot: Array, proposal: Proposal) -> Pending:
    return pending._replace(
        numbers=pending.numbers.at[slot].set(proposal.numbers),
        # Where there is no model the member goes another way, which is not known here.
        is_there=pending.is_there.at[slot].set(proposal.is_modelled),
    )
