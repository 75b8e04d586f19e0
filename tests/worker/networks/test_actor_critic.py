import jax
import jax.numpy as jnp
import numpy as np
import pytest

from phylon.spec import MLPSpec
from worker.core.types import EnvironmentInfo
from worker.networks import critic_ensemble, deterministic_policy

INFO = EnvironmentInfo(observation_shape=(2,), action_size=1, max_episode_steps=None)


def layer(kernel, bias):
    return {"kernel": jnp.array(kernel), "bias": jnp.array(bias)}


ACTIVATED = {"relu": lambda x: max(x, 0.0), "elu": lambda x: x if x > 0 else np.exp(x) - 1, "tanh": np.tanh}


@pytest.mark.parametrize("activation", ["relu", "elu", "tanh"])
def test_policy_by_hand(variant, activation):
    """Layers are found by their names: a checkpoint depends on them."""
    policy = deterministic_policy(MLPSpec(hidden=(2,), activation=activation), INFO)
    params = {
        "params": {
            "hidden_0": layer([[1.0, -1.0], [0.5, 0.25]], [0.0, -0.5]),
            "output": layer([[0.5], [2.0]], [0.1]),
        }
    }
    activate = ACTIVATED[activation]
    # obs (1, 2): hidden 1 + 1 = 2 and -1 + 0.5 - 0.5 = -1
    expected = np.tanh(0.5 * activate(2.0) + 2 * activate(-1.0) + 0.1)
    action = variant(policy.apply)(params, jnp.array([1.0, 2.0]))
    assert action.tolist() == pytest.approx([expected], rel=1e-5)
    assert jax.tree.structure(policy.init(jax.random.key(0))) == jax.tree.structure(params)


@pytest.mark.parametrize("critics", [1, 2, 3])
def test_critics_differ_and_are_stacked_on_axis_0(variant, critics):
    critic = critic_ensemble(MLPSpec(hidden=(8, 4)), INFO, critics)
    params = critic.init(jax.random.key(0))
    assert all(leaf.shape[0] == critics for leaf in jax.tree.leaves(params))
    obs, action = jnp.array([[0.3, -0.2], [1.0, 1.0]]), jnp.array([[0.5], [-0.5]])
    values = variant(critic.apply)(params, obs, action)
    assert values.shape == (critics, 2)
    assert len(np.unique(values)) == critics * 2
    for number in range(critics):  # each is what it would be alone
        alone = critic.apply(jax.tree.map(lambda leaf, n=number: leaf[n : n + 1], params), obs, action)
        np.testing.assert_allclose(alone[0], values[number], rtol=1e-5)


def test_a_batch_gives_what_its_rows_give():
    critic = critic_ensemble(MLPSpec(hidden=(8,)), INFO, 2)
    params = critic.init(jax.random.key(0))
    obs, action = jnp.array([[0.3, -0.2], [1.0, 1.0]]), jnp.array([[0.5], [-0.5]])
    rows = jax.vmap(critic.apply, in_axes=(None, 0, 0), out_axes=1)(params, obs, action)
    np.testing.assert_allclose(rows, critic.apply(params, obs, action), rtol=1e-6)


def test_weights_start_within_the_fan_in_limit():
    policy = deterministic_policy(MLPSpec(hidden=(400, 400)), EnvironmentInfo((100,), 3, None))
    params = policy.init(jax.random.key(0))["params"]
    for name, fan_in in {"hidden_0": 100, "hidden_1": 400, "output": 400}.items():
        for part in ("kernel", "bias"):
            largest = float(jnp.max(jnp.abs(params[name][part])))
            assert largest <= fan_in**-0.5
            assert largest > 0.3 * fan_in**-0.5


def test_actions_stay_in_the_unit_box():
    policy = deterministic_policy(MLPSpec(hidden=(8,)), INFO)
    params = jax.tree.map(lambda leaf: leaf * 100, policy.init(jax.random.key(0)))
    actions = policy.apply(params, 100 * jax.random.normal(jax.random.key(1), (64, 2)))
    assert float(jnp.max(jnp.abs(actions))) <= 1
