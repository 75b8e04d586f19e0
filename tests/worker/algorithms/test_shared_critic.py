"""Populations with one critic: what they have in common with plain members, and what they share."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from phylon.spec import MLPSpec, SACSpec, TD3Spec
from phylon.spec.dvd import DvDSpec
from worker.algorithms.actor_critic import critic_loss
from worker.algorithms.diverse_policies import diverse_policies
from worker.algorithms.sac import sac
from worker.algorithms.shared_sac import shared_sac
from worker.algorithms.shared_td3 import shared_td3
from worker.algorithms.td3 import td3
from worker.networks import critic_ensemble

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
    numbers = numbers_of(spec)
    alone, joint = plain(spec, info), shared(spec, info, 1, 1)
    update, update_jointly = compiled(alone.update), compiled(joint.update)
    state = alone.init(jax.random.key(0), numbers)
    population = joint.init(jax.random.key(0)[None], for_all(numbers, 1))
    for step in range(4):
        batch = make_batch(step)
        state, metrics = update(state, numbers, batch, jax.random.key(step))
        population, together = update_jointly(population, for_all(numbers, 1), stacked(batch), jax.random.key(step)[None])
        assert together.keys() == metrics.keys()
        for name in metrics:
            np.testing.assert_allclose(together[name], metrics[name][None], rtol=2e-5, atol=1e-6, err_msg=name)
    critics = population.shared.critics if plain is td3 else population.shared
    for field in state._fields:
        own = hasattr(population.members, field)
        found = getattr(population.members if own else critics, field)
        expected = jax.tree.map(lambda leaf: leaf[None], getattr(state, field)) if own else getattr(state, field)
        for left, right in zip(jax.tree.leaves(found), jax.tree.leaves(expected), strict=True):
            np.testing.assert_allclose(left, right, rtol=1e-4, atol=1e-6, err_msg=field)


@pytest.fixture(scope="module", params=PLAIN)
def trained(request, info, make_batch, numbers_of, compiled):
    """Four members, of whom two learn, before and after an update in which the policies move."""
    spec, _, shared = PLAIN[request.param]
    numbers = for_all(numbers_of(spec, **({"policy_delay": 1} if request.param == "td3" else {})), 4)
    joint = shared(spec, info, 4, 2)
    before = joint.init(keys_of(0, 4), numbers)
    batch = stacked(make_batch(0), make_batch(1))
    after, metrics = compiled(joint.update)(before, numbers, batch, keys_of(1, 2))
    return spec, before, after, metrics, batch


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


def test_targets_are_made_with_the_learners_own_policy(info, make_batch, numbers_of, compiled):
    numbers = for_all(numbers_of(TD3), 2)
    joint = shared_td3(TD3, info, 2, 2)
    update, population = compiled(joint.update), joint.init(keys_of(0, 2), numbers)
    batch = stacked(make_batch(0), make_batch(1))

    def loss_with(target_policy):
        members = population.members._replace(target_policy=target_policy)
        return float(update(population._replace(members=members), numbers, batch, keys_of(1, 2))[1]["critic_loss"][0])

    own = population.members.target_policy
    swapped = jax.tree.map(lambda leaf: 30 * leaf[::-1], own)
    assert loss_with(own) != loss_with(swapped)


class TestDiversePolicies:
    METHOD = DvDSpec(name="dvd", interval=1, length_scale=0.5, jitter=1e-4)

    @pytest.fixture(scope="class")
    def joint(self, info):
        return shared_td3(TD3, info, 3, 3, diverse_policies(self.METHOD))

    @pytest.fixture(scope="class")
    def run(self, joint, make_batch, numbers_of, compiled):
        update = compiled(joint.update)

        def run(population, diversity, steps=1):
            numbers = for_all(numbers_of(TD3, policy_delay=1, diversity=diversity), 3)
            batch = stacked(*(make_batch(seed) for seed in range(3)))
            for step in range(steps):
                population, metrics = update(population, numbers, batch, keys_of(step, 3))
            return population, metrics

        return run

    @pytest.fixture(scope="class")
    def population(self, joint, numbers_of):
        return joint.init(keys_of(0, 3), for_all(numbers_of(TD3), 3))

    def test_without_diversity_each_learns_alone(self, run, population, info, make_batch, numbers_of, compiled):
        jointly, metrics = run(population, 0.0)
        alone = shared_td3(TD3, info, 3, 3)
        numbers = for_all(numbers_of(TD3, policy_delay=1), 3)
        batch = stacked(*(make_batch(seed) for seed in range(3)))
        shared = population.shared._replace(told={})
        expected, own = compiled(alone.update)(population._replace(shared=shared), numbers, batch, keys_of(0, 3))
        for left, right in zip(jax.tree.leaves(jointly.members), jax.tree.leaves(expected.members), strict=True):
            np.testing.assert_allclose(left, right, rtol=1e-4, atol=1e-6)
        np.testing.assert_allclose(metrics["policy_loss"], own["policy_loss"], rtol=1e-4)

    def test_diversity_alone_widens_the_volume(self, run, population):
        first, last = (run(population, 1.0, steps)[1]["log_determinant"] for steps in (1, 100))
        assert first.shape == (3,)
        assert last[0] > first[0] + 1

    def test_policies_that_coincide_stay_numbers(self, run, population):
        same = jax.tree.map(lambda leaf: jnp.broadcast_to(leaf[:1], leaf.shape), population.members)
        after, metrics = run(population._replace(members=same), 0.5, 5)
        assert all(np.isfinite(leaf).all() for leaf in jax.tree.leaves((after, metrics)))
