"""Layers by hand: where norms and activations stand, and how weights start."""

import math

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from phylon.spec import MLPSpec
from phylon.worker.networks.mlp import Head, mlp, mlp_with_heads

ROOT = math.sqrt(1 + 1e-5)
"""What LayerNorm divides (1, -1) by."""


def layer(kernel, bias):
    return {"kernel": jnp.array(kernel), "bias": jnp.array(bias)}


def norm(scale, bias):
    return {"scale": jnp.array(scale), "bias": jnp.array(bias)}


def params(**norms):
    """First layer of the input 3: (5, 3). Second layer of (x, y): (x + y + 1, x - y). Output: their sum."""
    return {
        "params": {
            "hidden_0": layer([[2.0, 0.0]], [-1.0, 3.0]),
            "hidden_1": layer([[1.0, 1.0], [1.0, -1.0]], [1.0, 0.0]),
            "output": layer([[1.0], [1.0]], [0.0]),
            **norms,
        }
    }


def output(variant, params, **structure):
    network = mlp(MLPSpec(hidden=(2, 2), **structure), inputs=1, outputs=1)
    assert jax.tree.structure(params) == jax.tree.structure(jax.eval_shape(network.init, jax.random.key(0)))
    return variant(network.apply)(params, jnp.array([3.0])).tolist()


ACTIVATED = {
    "relu": lambda x: max(x, 0.0),
    "elu": lambda x: x if x > 0 else math.exp(x) - 1,
    "tanh": math.tanh,
    "gelu": lambda x: x * 0.5 * (1 + math.erf(x / math.sqrt(2))),
    "silu": lambda x: x / (1 + math.exp(-x)),
}


class TestActivation:
    @pytest.mark.parametrize("name", ACTIVATED)
    def test_every_hidden_layer_is_activated(self, variant, name):
        activate = ACTIVATED[name]
        first = activate(5.0), activate(3.0)
        second = activate(first[0] + first[1] + 1), activate(first[0] - first[1])
        assert output(variant, params(), activation=name) == pytest.approx([sum(second)], rel=1e-5)

    @pytest.mark.parametrize("name", ACTIVATED)
    def test_negative_numbers_too(self, name):
        network = mlp(MLPSpec(hidden=(1,), activation=name), inputs=1, outputs=1)
        identity = {"params": {"hidden_0": layer([[1.0]], [0.0]), "output": layer([[1.0]], [0.0])}}
        values = [-2.0, -0.5, 0.7]
        outputs = network.apply(identity, jnp.array(values)[:, None])[:, 0]
        assert outputs.tolist() == pytest.approx([ACTIVATED[name](value) for value in values], rel=1e-4)


class TestLayerNorm:
    def test_first_is_followed_by_tanh_and_the_rest_is_plain(self, variant):
        """(5, 3) normalised is ±1; scaled by (2, 1) and moved by (0, 0.5): (2, -0.5); then tanh; then ELU."""
        normed = params(norm_0=norm([2.0, 1.0], [0.0, 0.5]))
        first = math.tanh(2 / ROOT), math.tanh(-1 / ROOT + 0.5)
        expected = [ACTIVATED["elu"](first[0] + first[1] + 1) + ACTIVATED["elu"](first[0] - first[1])]
        assert output(variant, normed, layer_norm="first", activation="elu") == pytest.approx(expected, rel=1e-5)

    def test_all_stands_before_each_activation(self, variant):
        """(5, 3) becomes (1, -1), by relu (1, 0); then (2, 1), whose mean is 1.5 and deviation 0.5."""
        normed = params(norm_0=norm([1.0, 1.0], [0.0, 0.0]), norm_1=norm([1.0, 3.0], [0.0, 3.5]))
        one = 0.5 / math.sqrt(0.25 + 1e-5)
        expected = [one + (3.5 - 3 * one)]
        assert output(variant, normed, layer_norm="all", activation="relu") == pytest.approx(expected, rel=1e-4)

    def test_none_has_no_norm(self):
        names = mlp(MLPSpec(hidden=(2, 2)), 1, 1).init(jax.random.key(0))["params"]
        assert set(names) == {"hidden_0", "hidden_1", "output"}

    @pytest.mark.parametrize(("layer_norm", "norms"), [("first", {"norm_0"}), ("all", {"norm_0", "norm_1"})])
    def test_norms_start_as_the_identity(self, layer_norm, norms):
        layers = mlp(MLPSpec(hidden=(3, 3), layer_norm=layer_norm), 1, 1).init(jax.random.key(0))["params"]
        assert {name for name in layers if name.startswith("norm")} == norms
        for name in norms:
            assert layers[name]["scale"].tolist() == [1, 1, 1]
            assert layers[name]["bias"].tolist() == [0, 0, 0]


def start(init, heads=None):
    network = mlp_with_heads(MLPSpec(hidden=(90, 60), init=init), 30, heads or {"output": Head(20)})
    return jax.jit(network.init)(jax.random.key(0))["params"]


FAN_IN = {"hidden_0": 30, "hidden_1": 90, "output": 60}


class TestStart:
    def test_uniform_within_one_by_the_root_of_fan_in(self):
        layers = start("uniform")
        for name, fan_in in FAN_IN.items():
            kernel = np.asarray(layers[name]["kernel"])
            assert np.abs(kernel).max() <= fan_in**-0.5
            assert kernel.std() == pytest.approx(fan_in**-0.5 / math.sqrt(3), rel=0.1)
            assert 0.3 * fan_in**-0.5 < np.abs(layers[name]["bias"]).max() <= fan_in**-0.5

    def test_fan_in_has_a_variance_of_one_by_fan_in(self):
        layers = start("fan_in")
        for name, fan_in in FAN_IN.items():
            kernel = np.asarray(layers[name]["kernel"])
            assert np.abs(kernel).max() <= math.sqrt(3 / fan_in)
            assert kernel.var() == pytest.approx(1 / fan_in, rel=0.1)
            assert not np.any(layers[name]["bias"])

    def test_orthogonal_with_a_gain_of_root_two(self):
        layers = start("orthogonal")
        for name in FAN_IN:
            kernel = np.asarray(layers[name]["kernel"])
            shorter = kernel.T @ kernel if kernel.shape[0] >= kernel.shape[1] else kernel @ kernel.T
            np.testing.assert_allclose(shorter, 2 * np.eye(len(shorter)), atol=1e-4)
            assert not np.any(layers[name]["bias"])

    def test_a_head_has_its_own_gain(self):
        layers = start("orthogonal", {"output_mean": Head(4), "output_log_std": Head(4, gain=0.5)})
        for name, gain in {"output_mean": math.sqrt(2), "output_log_std": 0.5}.items():
            kernel = np.asarray(layers[name]["kernel"])
            np.testing.assert_allclose(kernel.T @ kernel, gain**2 * np.eye(4), atol=1e-5)
