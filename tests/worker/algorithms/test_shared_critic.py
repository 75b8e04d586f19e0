"""Populations with one critic: what they have in common with plain members, and what they share."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from phylon.spec import MLPSpec, SACSpec, TD3Spec
from phylon.spec.methods.dvd import DvDSpec
from phylon.worker.algorithms.actor_critic import critic_loss
from phylon.worker.algorithms.diverse_policies import diverse_policies
from phylon.worker.algorithms.sac import sac
from phylon.worker.algorithms.shared_sac import shared_sac
from phylon.worker.algorithms.shared_td3 import shared_td3
from phylon.worker.algorithms.td3 import td3
from phylon.worker.networks import critic_ensemble

TD3 = TD3Spec(name="td3", network=MLPSpec(hidden=(8,)))
SAC = SACSpec(name="sac", network=MLPSpec(hidden=(8,), init="fan_in"))
PLAIN = {"td3": (TD3, td3, shared_td3), "sac": (SAC, sac, shared_sac)}
FIXED = SAC.model_copy(update={"temperature": "fixed"})


def stacked(*trees):
    return jax.tree.map(lambda *leaves: jnp.stack(leaves), *trees)


def for_all(numbers, size):
    return {name: jnp.full(size, value) for name, value in numbers.items()}


def keys_of(number, size):
    return jax.random.split(jax.random.key(number), size)


@pytest.mark.parametrize(
    ("spec", "plain", "shared"), [(TD3, td3, shared_td3), (SAC, sac, shared_sac), (FIXED, sac, shared_sac)]
)
def test_a_population_of_one_is_the_plain_algorithm(spec, plain, shared, info, make_batch, numbers_of, compiled):
    numbers, batches = numbers_of(spec), stacked(*(make_batch(step) for step in range(3)))
    alone, joint = plain(spec, info), shared(spec, info, 1, 1)

    def train_alone(key):
        def step(state, inputs):
            batch, number = inputs
            return alone.update(state, numbers, batch, jax.random.key(number))

        return jax.lax.scan(step, alone.init(key, numbers), (batches, jnp.arange(3)))

    def train_jointly(key):
        def step(population, inputs):
            batch, number = inputs
            return joint.update(population, for_all(numbers, 1), stacked(batch), jax.random.key(number)[None])

        return jax.lax.scan(step, joint.init(key[None], for_all(numbers, 1)), (batches, jnp.arange(3)))

    state, expected = compiled(train_alone)(jax.random.key(9))
    population, metrics = compiled(train_jointly)(jax.random.key(9))
    assert metrics.keys() == expected.keys()
    for name in expected:
        np.testing.assert_allclose(metrics[name], expected[name][:, None], rtol=2e-5, atol=1e-6, err_msg=name)
    critics = population.shared.critics if plain is td3 else population.shared
    assert state.observations is None, "members that share a critic take observations as they are"
    for field in set(state._fields) - {"observations"}:
        own = field in population.members._fields
        found = getattr(population.members if own else critics, field)
        plain_part = getattr(state, field)
        plain_part = jax.tree.map(lambda leaf: leaf[None], plain_part) if own else plain_part
        for left, right in zip(jax.tree.leaves(found), jax.tree.leaves(plain_part), strict=True):
            np.testing.assert_allclose(left, right, rtol=1e-4, atol=1e-6, err_msg=field)


@pytest.fixture(scope="module", params=PLAIN)
def trained(request, info, make_batch, numbers_of, compiled):
    """Four members, of whom two learn, before and after an update in which the policies move."""
    spec, _, shared = PLAIN[request.param]
    numbers = for_all(numbers_of(spec, **({"policy_delay": 1} if request.param == "td3" else {})), 4)
    joint, batch = shared(spec, info, 4, 2), stacked(make_batch(0), make_batch(1))

    def train(keys):
        before = joint.init(keys, numbers)
        return before, *joint.update(before, numbers, batch, keys_of(1, 2))

    return spec, *compiled(train)(keys_of(0, 4)), batch


def test_only_learners_move(trained):
    _, before, after, metrics, _ = trained
    for old, new in zip(jax.tree.leaves(before.members.policy), jax.tree.leaves(after.members.policy), strict=True):
        assert (np.asarray(old[:2]) != np.asarray(new[:2])).any()
    unmoved = jax.tree.map(lambda old, new: np.array_equal(old[2:], new[2:]), before.members, after.members)
    assert jax.tree.all(unmoved)
    assert np.isfinite(metrics["policy_loss"]).tolist() == [True, True, False, False]
    assert np.isfinite(metrics["critic_loss"]).all() and len(set(metrics["critic_loss"].tolist())) == 1


def test_every_transition_counts_alike_for_the_critic(trained, info):
    spec, before, _, metrics, batch = trained
    critics = before.shared.critics if spec.name == "td3" else before.shared
    network = critic_ensemble(spec.network, info, spec.critics)
    together = jax.tree.map(lambda leaf: leaf.reshape(-1, *leaf.shape[2:]), batch)
    _, mean_value = critic_loss(network, critics.critic, together, jnp.zeros(len(together.reward)))
    assert float(metrics["q_value"][0]) == pytest.approx(float(mean_value), rel=1e-5)


@pytest.fixture(scope="module")
def diverse(info, make_batch, numbers_of, compiled):
    """Three policies of DvD, and what they become: (population, coefficient, steps) -> (population, metrics)."""
    joint = shared_td3(TD3, info, 3, 3, diverse_policies(DvDSpec(name="dvd", interval=1)))
    batch = stacked(*(make_batch(seed) for seed in range(3)))

    @compiled
    def train(population, numbers, steps):
        def step(number, state):
            population, _ = state
            keys = jax.vmap(jax.random.fold_in, in_axes=(None, 0))(jax.random.key(number), jnp.arange(3))
            return joint.update(population, numbers, batch, keys)

        first = step(0, (population, None))
        return jax.lax.fori_loop(1, steps, step, first)

    def run(population, diversity, steps=1):
        return train(population, for_all(numbers_of(TD3, policy_delay=1, diversity=diversity), 3), steps)

    population = compiled(lambda keys: joint.init(keys, for_all(numbers_of(TD3), 3)))(keys_of(0, 3))
    return run, population, batch


def test_targets_are_made_with_the_learners_own_policy(diverse):
    run, population, _ = diverse

    def loss_with(target_policy):
        members = population.members._replace(target_policy=target_policy)
        return float(run(population._replace(members=members), 0.0)[1]["critic_loss"][0])

    own = population.members.target_policy
    assert loss_with(own) != loss_with(jax.tree.map(lambda leaf: leaf[::-1], own))


class TestDiversePolicies:
    def test_without_diversity_each_learns_alone(self, diverse, info, numbers_of, compiled):
        run, population, batch = diverse
        jointly, metrics = run(population, 0.0)
        alone = shared_td3(TD3, info, 3, 3)
        keys = jax.vmap(jax.random.fold_in, in_axes=(None, 0))(jax.random.key(0), jnp.arange(3))
        start = population._replace(shared=population.shared._replace(told={}))
        expected, own = compiled(alone.update)(start, for_all(numbers_of(TD3, policy_delay=1), 3), batch, keys)
        for left, right in zip(jax.tree.leaves(jointly.members), jax.tree.leaves(expected.members), strict=True):
            np.testing.assert_allclose(left, right, rtol=1e-4, atol=1e-6)
        np.testing.assert_allclose(metrics["policy_loss"], own["policy_loss"], rtol=1e-4)

    def test_diversity_alone_widens_the_volume(self, diverse):
        run, population, _ = diverse
        first, last = (run(population, 1.0, steps)[1]["log_determinant"] for steps in (1, 200))
        assert first.shape == (3,)
        assert last[0] > first[0] + 1

    def test_policies_that_coincide_stay_numbers(self, diverse):
        run, population, _ = diverse
        same = jax.tree.map(lambda leaf: jnp.broadcast_to(leaf[:1], leaf.shape), population.members)
        after, metrics = run(population._replace(members=same), 0.5, 5)
        assert all(np.isfinite(leaf).all() for leaf in jax.tree.leaves((after, metrics)))
