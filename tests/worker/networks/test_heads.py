"""What stands on a torso: action values, policy and value."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from phylon.spec import MLPSpec
from phylon.spec.algorithms.convolutions import CNNSpec, ImpalaSpec
from phylon.worker.core.types import EnvironmentInfo
from phylon.worker.networks import action_values, policy_and_value
from phylon.worker.networks.distributions import Categorical, DiagonalNormal

ATARI = EnvironmentInfo((84, 84, 4), 14, None, is_discrete=True, observation_dtype="uint8")
PROCGEN = EnvironmentInfo((64, 64, 3), 15, None, is_discrete=True, observation_dtype="uint8")
DISCRETE = EnvironmentInfo((3,), 4, None, is_discrete=True)
CONTINUOUS = EnvironmentInfo((3,), 2, None)
SMALL = MLPSpec(hidden=(8,), activation="tanh", init="orthogonal")
OBS = jnp.array([[0.1, -0.4, 2.0], [1.0, 0.0, -1.0]])


def size_of(network):
    return sum(leaf.size for leaf in jax.tree.leaves(jax.eval_shape(network.init, jax.random.key(0))))


class TestSizes:
    """Weights and biases counted by hand."""

    CONVOLUTIONS = (8 * 8 * 4 * 32 + 32) + (4 * 4 * 32 * 64 + 64) + (3 * 3 * 64 * 64 + 64)
    STAGES = (
        (9 * 3 * 16 + 16 + 4 * (9 * 16 * 16 + 16))
        + (9 * 16 * 32 + 32 + 4 * (9 * 32 * 32 + 32))
        + (9 * 32 * 32 + 32 + 4 * (9 * 32 * 32 + 32))
    )

    def test_fastpbrls_network(self):
        spec = CNNSpec(kind="cnn", channels=(16, 32, 64), hidden=(256,))
        assert size_of(action_values(spec, ATARI, dueling=True)) == 1_640_831

    def test_the_network_of_the_dqn_paper(self):
        dense = 3136 * 512 + 512 + 512 * 14 + 14
        assert size_of(action_values(CNNSpec(kind="cnn"), ATARI, dueling=False)) == self.CONVOLUTIONS + dense

    def test_the_network_of_drac(self):
        dense = 2048 * 256 + 256 + 256 * 15 + 15 + 256 + 1
        spec = ImpalaSpec(kind="impala")
        assert size_of(policy_and_value(spec, PROCGEN, is_shared=True)) == self.STAGES + dense == 626_256

    def test_separate_torsos_are_two_of_everything(self):
        bodies = 2 * (self.STAGES + 2048 * 256 + 256)
        spec = ImpalaSpec(kind="impala")
        assert size_of(policy_and_value(spec, PROCGEN, is_shared=False)) == bodies + 256 * 15 + 15 + 256 + 1


class TestActionValues:
    def test_plain_is_the_last_layer(self, variant):
        network = action_values(SMALL, DISCRETE, dueling=False)
        params = network.init(jax.random.key(0))
        layers = params["layers"]["params"]
        hidden = np.tanh(OBS @ layers["hidden_0"]["kernel"] + layers["hidden_0"]["bias"][None])
        np.testing.assert_allclose(
            variant(network.apply)(params, OBS), hidden @ layers["output"]["kernel"], rtol=1e-4, atol=1e-5
        )

    def test_dueling_is_value_and_advantage_without_its_mean(self, variant):
        network = action_values(SMALL, DISCRETE, dueling=True)
        params = network.init(jax.random.key(0))

        def stream(name):
            layers = params[name]["params"]
            return np.tanh(OBS @ layers["hidden_0"]["kernel"]) @ layers["output"]["kernel"]

        value, advantage = stream("value"), stream("advantage")
        expected = value + advantage - advantage.mean(axis=1, keepdims=True)
        np.testing.assert_allclose(variant(network.apply)(params, OBS), expected, rtol=1e-4, atol=1e-5)
        assert value.shape == (2, 1)

    def test_streams_share_the_torso_and_start_apart(self):
        spec = CNNSpec(kind="cnn", channels=(2,), kernels=(3,), strides=(2,), hidden=(8,))
        network = action_values(spec, EnvironmentInfo((7, 7, 3), 4, None), dueling=True)
        params = network.init(jax.random.key(0))
        assert set(params) == {"torso", "value", "advantage"}
        hidden = [params[name]["params"]["hidden_0"]["kernel"] for name in ("value", "advantage")]
        assert hidden[0].shape == hidden[1].shape
        assert not np.array_equal(*hidden)


@pytest.mark.parametrize("is_shared", [True, False])
class TestPolicyAndValue:
    def test_discrete(self, variant, is_shared):
        network = policy_and_value(SMALL, DISCRETE, is_shared)
        said = variant(network.apply)(network.init(jax.random.key(0)), OBS)
        assert isinstance(said.policy, Categorical)
        assert said.policy.logits.shape == (2, 4)
        assert said.value.shape == (2,)

    def test_continuous_has_a_deviation_that_is_a_weight(self, variant, is_shared):
        network = policy_and_value(SMALL, CONTINUOUS, is_shared)
        params = network.init(jax.random.key(0))
        assert params["output_log_std"].tolist() == [0.0, 0.0]
        params["output_log_std"] = jnp.array([0.5, -1.0])
        said = variant(network.apply)(params, OBS)
        assert isinstance(said.policy, DiagonalNormal)
        assert said.policy.log_std.tolist() == [[0.5, -1.0]] * 2  # whatever the observation
        assert said.policy.mean.shape == (2, 2)
        assert variant(network.apply)(params, OBS[0]).policy.log_std.shape == (2,)

    def test_a_policy_starts_nearly_indifferent_and_a_value_does_not(self, is_shared):
        network = policy_and_value(SMALL, DISCRETE, is_shared)
        params = network.init(jax.random.key(0))
        policy, value = (params["shared"],) * 2 if is_shared else (params["policy"], params["value"])
        lengths = {
            name: np.linalg.norm(body["layers"]["params"][name]["kernel"], axis=0)
            for name, body in {"output_policy": policy, "output_value": value}.items()
        }
        np.testing.assert_allclose(lengths["output_policy"], 0.01, rtol=1e-4)
        np.testing.assert_allclose(lengths["output_value"], 1.0, rtol=1e-4)

    def test_what_moves_with_the_value(self, is_shared):
        """Learning a value moves the policy's layers if, and only if, they are the same ones."""
        network = policy_and_value(SMALL, DISCRETE, is_shared)
        params = network.init(jax.random.key(0))
        gradient = jax.grad(lambda params: jnp.sum(network.apply(params, OBS).value))(params)
        layers = gradient["shared" if is_shared else "policy"]["layers"]["params"]
        assert bool(np.any(layers["hidden_0"]["kernel"])) == is_shared
        assert not np.any(layers["output_policy"]["kernel"])
