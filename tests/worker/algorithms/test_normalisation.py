"""Algorithms with normalised observations, at the scale of one member."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from phylon.registry import algorithms
from phylon.spec import MLPSpec
from phylon.spec.algorithms import TD3Spec
from phylon.spec.algorithms.observations import ObservationsSpec
from phylon.spec.resets import ResetsSpec
from phylon.worker.algorithms import build_algorithm
from phylon.worker.algorithms.resets import reset
from phylon.worker.core.types import EnvironmentInfo, Rollout, Transition
from phylon.worker.learning.observation_statistics import empty_statistics, normalise, take_in
from phylon.worker.learning.reward_scale import Moments

MLP = MLPSpec(hidden=(8,))
NORMALISED = ObservationsSpec(normalise=True, clip=2.0)
SEEN = Moments(jnp.array(7.0), jnp.array([1.0, -2.0, 30.0]), jnp.array([4.0, 0.25, 900.0]))


def both(name, info):
    """The algorithm with and without normalisation."""
    spec = algorithms()[name].spec
    fields = {"name": name, "network": MLP} | ({"rollout_steps": 16, "minibatches": 2} if name == "ppo" else {})
    return [
        (built, build_algorithm(built, info._replace(is_discrete=name == "dqn")))
        for built in (
            spec.model_validate(fields | {"observations": ObservationsSpec()}),
            spec.model_validate(fields | {"observations": NORMALISED}),
        )
    ]


def batch_for(name, make_batch):
    batch = make_batch()
    if name == "dqn":
        return batch._replace(action=(batch.action[:, 0] > 0).astype(jnp.int32))
    if name == "ppo":
        batch = jax.tree.map(lambda field: field[:, None], batch)  # one environment
        return Rollout(batch, jnp.zeros_like(batch.reward))
    return batch


def scaled(batch):
    if isinstance(batch, Rollout):
        return batch._replace(transitions=scaled(batch.transitions))
    shape = batch.obs.shape
    return batch._replace(
        obs=normalise(SEEN, batch.obs.reshape(-1, 3), 2.0).reshape(shape),
        next_obs=normalise(SEEN, batch.next_obs.reshape(-1, 3), 2.0).reshape(shape),
    )


@pytest.mark.parametrize(
    "name", [name for name, found in algorithms().items() if "observations" in found.spec.model_fields]
)
def test_networks_see_what_they_would_see_if_the_environment_normalised(
    name, info, make_batch, numbers_of, compiled, equal
):
    (spec, plain), (_, normalised) = both(name, info)
    numbers, batch = numbers_of(spec), batch_for(name, make_batch)
    state = plain.init(jax.random.key(0), numbers)
    fresh = normalised.init(jax.random.key(0), numbers)
    assert equal(fresh, state._replace(observations=empty_statistics((3,))))
    fresh = fresh._replace(observations=SEEN)

    obs = make_batch(1).obs
    for explore in (False, True):
        expected = plain.act(state, numbers, normalise(SEEN, obs, 2.0), jax.random.key(2), explore)
        assert equal(normalised.act(fresh, numbers, obs, jax.random.key(2), explore), expected)

    expected, _ = compiled(plain.update)(state, numbers, scaled(batch), jax.random.key(1))
    found, _ = compiled(normalised.update)(fresh, numbers, batch, jax.random.key(1))
    assert equal(found.observations, SEEN), "an update leaves the statistics alone"
    for a, b in zip(jax.tree.leaves(found._replace(observations=None)), jax.tree.leaves(expected), strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-4, atol=1e-6)


def test_statistics_are_copied_with_a_policy_and_no_part_of_a_reset(info, numbers_of, equal):
    (spec, plain), (_, normalised) = both("td3", info)
    assert normalised.policy == (*plain.policy, "observations")
    assert normalised.parts == plain.parts
    numbers = numbers_of(spec)
    state = normalised.init(jax.random.key(0), numbers)._replace(observations=SEEN)
    renewed = reset(normalised, ResetsSpec(interval=1, first=1, recovery=0), jax.random.key(1), numbers, state)
    assert equal(renewed.observations, SEEN)
    assert not equal(renewed.policy, state.policy)


SCALES = np.array([1e3, 1e-3], np.float32)
"""The component that says what to do is a millionth of the other."""


def bandit(seed, count, batch):
    """Contexts in [-1, 1]², of which the second is the best action; seen at very different scales."""
    random = np.random.default_rng(seed)
    context = random.uniform(-1, 1, (count, batch, 2)).astype(np.float32)
    action = random.uniform(-1, 1, (count, batch, 1)).astype(np.float32)
    reward = -np.square(action[..., 0] - context[..., 1])
    obs = context * SCALES
    return Transition(obs, action, reward, np.ones_like(reward), obs), context


def loss_after_training(observations, numbers_of):
    """Mean squared distance from the best action; 0.33 for one that does not look at the context."""
    spec = TD3Spec(name="td3", network=MLPSpec(hidden=(32,)), observations=observations)
    info = EnvironmentInfo(observation_shape=(2,), action_size=1, max_episode_steps=1)
    algorithm, numbers = (
        build_algorithm(spec, info),
        numbers_of(spec, policy_learning_rate=3e-3, critic_learning_rate=3e-3),
    )
    batches, _ = bandit(0, 600, 64)
    state = algorithm.init(jax.random.key(0), numbers)
    if observations.normalise:
        state = state._replace(observations=take_in(state.observations, batches.obs.reshape(-1, 2)))

    def step(state, inputs):
        batch, words = inputs
        return algorithm.update(state, numbers, batch, jax.random.wrap_key_data(words))[0], None

    words = jax.random.key_data(jax.random.split(jax.random.key(1), 600))
    state, _ = jax.jit(lambda state: jax.lax.scan(step, state, (jax.tree.map(jnp.asarray, batches), words)))(state)
    test, context = bandit(1, 1, 256)
    action = algorithm.act(state, numbers, jnp.asarray(test.obs[0]), jax.random.key(0), False)
    return float(np.mean(np.square(np.asarray(action)[:, 0] - context[0, :, 1])))


def test_badly_scaled_observations_are_learned_from_with_normalisation_alone(numbers_of):
    with_, without = (loss_after_training(ObservationsSpec(normalise=on), numbers_of) for on in (True, False))
    assert with_ < 0.03, f"normalised: {with_:.3f}, as they are: {without:.3f}"
    assert without > 0.3, f"normalised: {with_:.3f}, as they are: {without:.3f}"
