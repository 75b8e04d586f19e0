import jax
import jax.numpy as jnp
import numpy as np
import pytest

from phylon.spec import MLPSpec
from phylon.worker.core.types import EnvironmentInfo
from phylon.worker.networks import critic_ensemble, deterministic_policy, tanh_normal_policy
from phylon.worker.networks.actor_critic import squashed_log_std

INFO = EnvironmentInfo(observation_shape=(2,), action_size=1, max_episode_steps=None)


def layer(kernel, bias):
    return {"kernel": jnp.array(kernel), "bias": jnp.array(bias)}


def test_policy_by_hand(variant):
    """Layers are found by their names: a checkpoint depends on them."""
    policy = deterministic_policy(MLPSpec(hidden=(2,)), INFO)
    params = {
        "params": {
            "hidden_0": layer([[1.0, -1.0], [0.5, 0.25]], [0.0, -0.5]),
            "output": layer([[0.5], [2.0]], [0.1]),
        }
    }
    # obs (1, 2): hidden 1 + 1 = 2 and -1 + 0.5 - 0.5 = -1, which relu makes 0
    action = variant(policy.apply)(params, jnp.array([1.0, 2.0]))
    assert action.tolist() == pytest.approx([np.tanh(0.5 * 2 + 0.1)], rel=1e-5)
    assert jax.tree.structure(policy.init(jax.random.key(0))) == jax.tree.structure(params)


def test_stochastic_policy_by_hand(variant):
    policy = tanh_normal_policy(MLPSpec(hidden=(2,)), INFO)
    params = {
        "params": {
            "hidden_0": layer([[1.0, -1.0], [0.5, 0.25]], [0.0, -0.5]),
            "output_mean": layer([[0.5], [2.0]], [0.1]),
            "output_log_std": layer([[-0.25], [2.0]], [0.25]),
        }
    }
    # hidden (2, 0) as above: mean 1.1, and -0.25 of the way from -4 to 2 or -10
    distribution = variant(policy.apply)(params, jnp.array([1.0, 2.0]))
    assert distribution.mean.tolist() == pytest.approx([1.1])
    assert distribution.log_std.tolist() == pytest.approx([-4 + 6 * np.tanh(-0.25)])
    assert jax.tree.structure(policy.init(jax.random.key(0))) == jax.tree.structure(params)


@pytest.mark.parametrize(("raw", "expected"), [(0.0, -4.0), (0.5, -4 + 6 * np.tanh(0.5)), (-99.0, -10.0), (99.0, 2.0)])
def test_log_deviations_stay_within_their_limits(variant, raw, expected):
    assert variant(squashed_log_std)(jnp.array(raw)) == pytest.approx(expected)


def test_the_deviations_orthogonal_weights_have_a_gain_of_one():
    policy = tanh_normal_policy(MLPSpec(hidden=(16,), init="orthogonal"), EnvironmentInfo((4,), 3, None))
    layers = policy.init(jax.random.key(0))["params"]
    for name, square in {"output_mean": 2.0, "output_log_std": 1.0}.items():
        kernel = np.asarray(layers[name]["kernel"])
        np.testing.assert_allclose(kernel.T @ kernel, square * np.eye(3), atol=1e-5)


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


def test_actions_stay_in_the_unit_box():
    policy = deterministic_policy(MLPSpec(hidden=(8,)), INFO)
    params = jax.tree.map(lambda leaf: leaf * 100, policy.init(jax.random.key(0)))
    actions = policy.apply(params, 100 * jax.random.normal(jax.random.key(1), (64, 2)))
    assert float(jnp.max(jnp.abs(actions))) <= 1
