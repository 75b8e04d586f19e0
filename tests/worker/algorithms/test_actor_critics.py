"""What every actor-critic algorithm promises, whatever its equations are."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from phylon.registry import algorithms
from phylon.spec import DDPGSpec, MLPSpec, SACSpec, TD3Spec, hyperparameters
from phylon.worker.algorithms import build_algorithm

NETWORK = MLPSpec(hidden=(8,))
SPECS = {
    "td3": TD3Spec(name="td3", network=NETWORK),
    "sac": SACSpec(name="sac", network=NETWORK),
    "sac of fixed temperature": SACSpec(name="sac", network=NETWORK, temperature="fixed"),
    "ddpg": DDPGSpec(name="ddpg", network=NETWORK),
}
METRICS = {
    "td3": {"critic_loss", "policy_loss", "q_value"},
    "sac": {"critic_loss", "policy_loss", "q_value", "entropy", "temperature"},
    "ddpg": {"critic_loss", "policy_loss", "q_value"},
}


@pytest.fixture(scope="module", params=SPECS)
def spec(request):
    return SPECS[request.param]


@pytest.fixture(scope="module")
def algorithm(spec, info):
    return build_algorithm(spec, info)


class Counted:
    """A member's life in compiled programs, and how often each was traced."""

    def __init__(self, algorithm, make_batch, compiled):
        self.traces = {"init": 0, "act": 0, "update": 0}
        self._make_batch = make_batch
        self._init = compiled(self._counting("init", algorithm.init))
        self._act = compiled(self._counting("act", algorithm.act), static_argnums=4)
        self._update = compiled(self._counting("update", algorithm.update))

    def _counting(self, name, function):
        def call(*arguments):
            self.traces[name] += 1
            return function(*arguments)

        return call

    def born(self, numbers, seed=0):
        return self._init(jax.random.key(seed), numbers)

    def behaviour(self, numbers):
        """Born, updated three times, and seen acting."""
        state = self.born(numbers)
        for step in range(3):
            state, _ = self._update(state, numbers, self._make_batch(step), jax.random.key(step))
        return state, self._act(state, numbers, self._make_batch().obs, jax.random.key(0), True)


@pytest.fixture(scope="module")
def member(algorithm, make_batch, compiled):
    return Counted(algorithm, make_batch, compiled)


def test_every_hyperparameter_is_alive_and_none_recompiles(spec, member, numbers_of, equal):
    """A number that the structure switches off is named by the spec, and is truly not read."""
    usual = member.behaviour(numbers_of(spec))
    unread = algorithms()[spec.name].unread(spec)
    for name, value in hyperparameters(spec).items():
        changed = member.behaviour(numbers_of(spec, **{name: value * 0.5}))
        assert equal(usual, changed) == (name in unread), f"{name} is {'read' if name in unread else 'never read'}"
    assert equal(usual, member.behaviour(numbers_of(spec))), "the same numbers gave another state"
    assert member.traces == {"init": 1, "act": 1, "update": 1}


def test_a_fresh_member_has_targets_equal_to_its_networks(spec, member, numbers_of, equal):
    one, other = (member.born(numbers_of(spec), seed) for seed in range(2))
    targets = [field for field in one._fields if field.startswith("target_")]
    assert targets
    for field in targets:
        assert equal(getattr(one, field), getattr(one, field.removeprefix("target_")))
    assert not equal(one.policy, other.policy)
    assert not equal(one.critic, other.critic)


def test_actions_lie_in_the_unit_box(spec, algorithm, member, numbers_of):
    """However wild the weights and the noise are."""
    state = member.born(numbers_of(spec))
    state = state._replace(policy=jax.tree.map(lambda leaf: 100 * leaf, state.policy))
    numbers = {name: jnp.float32(9.0) for name in numbers_of(spec)}
    obs = 100 * jax.random.normal(jax.random.key(1), (64, 3))
    for explore in (True, False):
        action = algorithm.act(state, numbers, obs, jax.random.key(2), explore)
        assert action.shape == (64, 2)
        assert action.dtype == jnp.float32
        assert float(jnp.max(jnp.abs(action))) == 1


@pytest.mark.parametrize("critics", [1, 2, 3])
@pytest.mark.parametrize("name", ["td3", "sac"])
def test_any_number_of_critics_trains(name, critics, info, numbers_of, make_batch, compiled):
    spec = SPECS[name].model_copy(update={"critics": critics})
    algorithm, numbers = build_algorithm(spec, info), numbers_of(spec)
    state = compiled(algorithm.init)(jax.random.key(0), numbers)
    after, metrics = compiled(algorithm.update)(state, numbers, make_batch(), jax.random.key(1))
    assert set(metrics) == METRICS[name]
    assert all(np.isfinite(value) and value.shape == () for value in metrics.values())
    assert all(leaf.shape[0] == critics for leaf in jax.tree.leaves(after.critic))
    for number in range(critics):
        assert not np.array_equal(*(s.critic["params"]["output"]["kernel"][number] for s in (state, after)))


@pytest.mark.parametrize(
    ("name", "network"),
    [
        ("td3", MLPSpec(hidden=(8, 8), layer_norm="first", activation="elu", init="fan_in")),
        ("sac", MLPSpec(hidden=(8, 8), layer_norm="all", activation="silu", init="orthogonal")),
    ],
)
def test_any_network_trains(name, network, info, numbers_of, make_batch, compiled):
    spec = SPECS[name].model_copy(update={"network": network})
    algorithm, numbers = build_algorithm(spec, info), numbers_of(spec)
    state = compiled(algorithm.init)(jax.random.key(0), numbers)
    after, metrics = compiled(algorithm.update)(state, numbers, make_batch(), jax.random.key(1))
    assert all(np.isfinite(value) for value in metrics.values())
    for name, layer in after.critic["params"].items():
        for weights, start in zip(jax.tree.leaves(layer), jax.tree.leaves(state.critic["params"][name]), strict=True):
            assert not np.array_equal(weights, start), f"{name} does not learn"
