"""Numbers for the members that are replaced in one evolution, one after the other, from a model of past gains.

The model is fitted to what was observed. Its mean comes from that alone; its variance also counts every interval that
is about to run, of survivors and of those who were given their numbers just before, though no one knows how these will
end: GP-BUCB (Desautels et al. 2014), by which a batch spreads out.
"""

from typing import NamedTuple

import jax
import jax.numpy as jnp

from phylon.spec.pb2 import OptimismSpec
from worker.core.types import Array, Key
from worker.population.pb2 import gaussian_process as gp
from worker.population.pb2.acquisition import confidence, maximise
from worker.population.pb2.fitting import fit
from worker.population.pb2.kernels import Inputs, KernelFn, Parameters
from worker.population.pb2.observations import Observations, Scale, standardise, to_unit


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


class Fitted(NamedTuple):
    data: gp.Data
    posterior: gp.Posterior
    scale: Scale


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


def propose_from_all(
    key: Key,
    kernel: KernelFn,
    optimism: OptimismSpec,
    observations: Observations,
    pending: Pending,
    slots: Array,
    previous: Parameters,
) -> tuple[Proposal, Parameters]:
    """One model of all observations proposes for each of `slots` [k] in turn. Proposals are [k, ...]."""
    fit_key, pick_key = jax.random.split(key)
    inputs, coming = _inputs(observations, pending)
    fitted = _fit(fit_key, kernel, inputs, observations, observations.is_there, previous)

    def step(pending: Pending, turn: tuple[Key, Array]) -> tuple[Pending, Proposal]:
        key, slot = turn
        proposal = _pick(key, kernel, optimism, fitted, coming, pending, pending.is_there, slot)
        return _with(pending, slot, proposal), proposal

    _, proposals = jax.lax.scan(step, pending, (jax.random.split(pick_key, len(slots)), slots))
    return proposals, fitted.posterior.parameters


def propose_within_category(
    key: Key,
    kernel: KernelFn,
    optimism: OptimismSpec,
    observations: Observations,
    pending: Pending,
    slots: Array,
    previous: Parameters,
) -> tuple[Proposal, Parameters]:
    """For each of `slots` [k] in turn a model of the observations that share all of its categories."""
    inputs, coming = _inputs(observations, pending)

    def step(carry: tuple[Pending, Parameters], turn: tuple[Key, Array]) -> tuple[tuple[Pending, Parameters], Proposal]:
        (pending, parameters), (key, slot) = carry, turn
        fit_key, pick_key = jax.random.split(key)
        own = pending.categories[slot][None, :]
        is_own = observations.is_there & jnp.all(observations.categories == own, axis=-1)
        fitted = _fit(fit_key, kernel, inputs, observations, is_own, parameters)
        is_rival = pending.is_there & jnp.all(pending.categories == own, axis=-1)
        proposal = _pick(pick_key, kernel, optimism, fitted, coming, pending, is_rival, slot)
        parameters = jax.tree.map(
            lambda new, old: jnp.where(proposal.is_modelled, new, old), proposal.parameters, parameters
        )
        return (_with(pending, slot, proposal), parameters), proposal

    turns = (jax.random.split(key, len(slots)), slots)
    (_, parameters), proposals = jax.lax.scan(step, (pending, previous), turns)
    return proposals, parameters


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


def _fit(
    key: Key, kernel: KernelFn, inputs: Inputs, observations: Observations, is_there: Array, previous: Parameters
) -> Fitted:
    targets, scale = standardise(observations.gain, is_there)
    data = gp.Data(inputs, targets, is_there)
    return Fitted(data, gp.condition(kernel, fit(key, kernel, data, previous), data), scale)


def _pick(
    key: Key,
    kernel: KernelFn,
    optimism: OptimismSpec,
    fitted: Fitted,
    coming: Inputs,
    pending: Pending,
    is_counted: Array,
    slot: Array,
) -> Proposal:
    data, posterior, scale = fitted
    context = coming.numbers[:, :1]
    rivals = coming._replace(numbers=jnp.concatenate([context, pending.numbers], axis=-1))
    joint = gp.Data(
        jax.tree.map(lambda *parts: jnp.concatenate(parts), data.inputs, rivals),
        jnp.concatenate([data.targets, jnp.zeros(len(is_counted))]),
        jnp.concatenate([data.is_there, is_counted]),
    )
    with_pending = gp.condition(kernel, posterior.parameters, joint)
    count = jnp.sum(data.is_there)
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
