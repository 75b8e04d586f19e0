"""Torsos for images against loops in NumPy, and their sizes by hand."""

import itertools

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from phylon.catalogue import entries
from phylon.registry import algorithms
from phylon.spec import MLPSpec, parse_spec
from phylon.spec.algorithms.convolutions import CNNSpec, ImpalaSpec
from phylon.worker.core.errors import UnsupportedEnvironment
from phylon.worker.core.types import EnvironmentInfo
from phylon.worker.execution.compilation import fast_compile_options
from phylon.worker.networks.torsos import torso

ATARI = EnvironmentInfo((84, 84, 4), 14, None, is_discrete=True, observation_dtype="uint8")
PROCGEN = EnvironmentInfo((64, 64, 3), 15, None, is_discrete=True, observation_dtype="uint8")


def images_of(*shape):
    return jnp.asarray(np.random.default_rng(0).integers(0, 256, shape), jnp.uint8)


def weights_like(network):
    """Weights of all signs in the place of the initial ones, biases too."""
    shapes, random = jax.eval_shape(network.init, jax.random.key(0)), np.random.default_rng(1)
    return jax.tree.map(lambda leaf: jnp.asarray(random.normal(0, 0.5, leaf.shape), jnp.float32), shapes)


def convolve(image, layer, stride=1, padding=0):
    """One image, one pixel after the other."""
    kernel, bias = np.asarray(layer["kernel"]), np.asarray(layer["bias"])
    image = np.pad(image, ((padding, padding), (padding, padding), (0, 0)))
    side = kernel.shape[0]
    rows, columns = ((size - side) // stride + 1 for size in image.shape[:2])
    result = np.empty((rows, columns, kernel.shape[-1]))
    for row, column in itertools.product(range(rows), range(columns)):
        window = image[row * stride : row * stride + side, column * stride : column * stride + side]
        result[row, column] = np.einsum("rci,rcio->o", window, kernel) + bias
    return result


def pool(image):
    """3 x 3 maxima with stride 2, the border included."""
    padded = np.pad(image, ((1, 1), (1, 1), (0, 0)), constant_values=-np.inf)
    rows, columns = ((size + 1) // 2 for size in image.shape[:2])
    return np.array(
        [
            [padded[2 * row : 2 * row + 3, 2 * column : 2 * column + 3].max(axis=(0, 1)) for column in range(columns)]
            for row in range(rows)
        ]
    )


def relu(values):
    return np.maximum(values, 0)


def test_convolutions_against_a_loop(variant):
    spec = CNNSpec(kind="cnn", channels=(3, 2), kernels=(3, 2), strides=(2, 1))
    network = torso(spec, EnvironmentInfo((8, 9, 2), 2, None)).network
    params, images = weights_like(network), images_of(2, 8, 9, 2)
    found = variant(network.apply)(params, images)
    for image, features in zip(np.asarray(images) / 255, found, strict=True):
        hidden = relu(convolve(image, params["params"]["convolution_0"], stride=2))
        hidden = relu(convolve(hidden, params["params"]["convolution_1"]))
        np.testing.assert_allclose(features, hidden.reshape(-1), rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("shape", [(8, 8, 2), (7, 5, 2)])
def test_impala_against_a_loop(shape):
    """What is added to is the block's input as it came, not rectified."""
    network = torso(ImpalaSpec(kind="impala", channels=(2, 3)), EnvironmentInfo(shape, 2, None)).network
    params, images = weights_like(network), images_of(2, *shape)
    found = jax.jit(network.apply)(params, images)
    layers = params["params"]
    for image, features in zip(np.asarray(images) / 255, found, strict=True):
        for stage in range(2):
            image = pool(convolve(image, layers[f"stage_{stage}"], padding=1))
            for block in range(2):
                name = f"stage_{stage}_block_{block}"
                change = convolve(relu(image), layers[f"{name}_first"], padding=1)
                image = image + convolve(relu(change), layers[f"{name}_second"], padding=1)
        np.testing.assert_allclose(features, relu(image).reshape(-1), rtol=1e-4, atol=1e-4)


def test_a_vector_is_left_as_it_is(variant):
    base = torso(MLPSpec(), EnvironmentInfo((3,), 2, None))
    params = base.network.init(jax.random.key(0))
    assert variant(base.network.apply)(params, jnp.array([[1.0, -2.0, 300.0]])).tolist() == [[1.0, -2.0, 300.0]]
    assert jax.tree.leaves(params) == []
    assert base.features == 3


@pytest.mark.parametrize(
    ("spec", "info", "features"),
    [
        (CNNSpec(kind="cnn"), ATARI, 7 * 7 * 64),
        (CNNSpec(kind="cnn"), PROCGEN, 4 * 4 * 64),
        (ImpalaSpec(kind="impala"), PROCGEN, 8 * 8 * 32),
        (ImpalaSpec(kind="impala"), ATARI, 11 * 11 * 32),  # 84, 42, 21, 11
    ],
)
def test_shapes(spec, info, features):
    base = torso(spec, info)
    params = jax.eval_shape(base.network.init, jax.random.key(0))
    for lead in [(), (5,), (3, 5)]:
        obs = jax.ShapeDtypeStruct((*lead, *info.observation_shape), jnp.uint8)
        found = jax.eval_shape(base.network.apply, params, obs)
        assert found.shape == (*lead, features)
        assert found.dtype == jnp.float32
    assert base.features == features


def test_leading_axes_are_batch_axes():
    spec = ImpalaSpec(kind="impala", channels=(2,))
    network = torso(spec, EnvironmentInfo((6, 6, 3), 2, None)).network
    params, images = weights_like(network), images_of(2, 3, 6, 6, 3)
    apply = jax.jit(network.apply)
    together, apart = apply(params, images), [[apply(params, image) for image in row] for row in images]
    np.testing.assert_allclose(together, np.array(apart), rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize(
    "kind", [CNNSpec(kind="cnn", channels=(4,), kernels=(3,), strides=(1,)), ImpalaSpec(kind="impala", channels=(4,))]
)
def test_bytes_mean_shares_of_255(kind):
    network = torso(kind, EnvironmentInfo((6, 6, 3), 2, None)).network
    params, images = weights_like(network), images_of(2, 6, 6, 3)
    apply = jax.jit(network.apply)
    np.testing.assert_allclose(apply(params, images), apply(params, images.astype(jnp.float32) / 255), rtol=1e-6)


class TestStart:
    def test_convolutions_start_as_the_spec_says(self):
        def start(init):
            spec = CNNSpec(kind="cnn", channels=(32, 16), kernels=(4, 3), strides=(1, 1), init=init)
            return jax.jit(torso(spec, PROCGEN).network.init, compiler_options=fast_compile_options())(
                jax.random.key(0)
            )["params"]

        uniform, orthogonal = start("uniform"), start("orthogonal")
        for name, fan_in in {"convolution_0": 4 * 4 * 3, "convolution_1": 3 * 3 * 32}.items():
            for part in ("kernel", "bias"):
                assert 0.3 * fan_in**-0.5 < np.abs(uniform[name][part]).max() <= fan_in**-0.5
            kernel = np.asarray(orthogonal[name]["kernel"]).reshape(fan_in, -1)
            np.testing.assert_allclose(kernel.T @ kernel, 2 * np.eye(kernel.shape[1]), atol=1e-4)
            assert not np.any(orthogonal[name]["bias"])

    def test_impala_starts_as_glorot_has_it(self):
        init = torso(ImpalaSpec(kind="impala"), PROCGEN).network.init
        layers = jax.jit(init, compiler_options=fast_compile_options())(jax.random.key(0))["params"]
        kernel = np.asarray(layers["stage_1"]["kernel"])  # 16 to 32 channels
        limit = (6 / (9 * 16 + 9 * 32)) ** 0.5
        assert 0.95 * limit < np.abs(kernel).max() <= limit
        assert all(not np.any(layer["bias"]) for layer in layers.values())


@pytest.mark.parametrize(
    ("spec", "shape", "words"),
    [
        (MLPSpec(), (84, 84, 4), "an MLP needs a vector"),
        (CNNSpec(kind="cnn"), (17,), "needs images"),
        (ImpalaSpec(kind="impala"), (17,), "needs images"),
        (CNNSpec(kind="cnn"), (32, 32, 3), "too small"),  # 32, 7, 2, and then a kernel of 3
    ],
)
def test_what_does_not_fit_is_refused(spec, shape, words):
    with pytest.raises(UnsupportedEnvironment, match=words):
        torso(spec, EnvironmentInfo(shape, 4, None))


IMAGES = sorted(
    {
        entry.observation.shape: entry
        for entry in entries()
        if len(entry.observation.shape) == 3 and entry.action.kind in algorithms()["ppo"].actions
    }.items()
)
"""One environment for each shape of image in the catalogue."""


@pytest.mark.parametrize(("shape", "entry"), IMAGES, ids=[str(shape) for shape, _ in IMAGES])
def test_a_spec_without_a_network_gets_one_that_fits_its_images(shape, entry):
    spec = parse_spec(
        {"environment": {"suite": entry.suite, "id": entry.id}, "algorithm": "ppo", "budget": 1000, "population": 2}
    )
    assert torso(spec.algorithm.network, EnvironmentInfo(shape, 2, None, is_discrete=True)).features > 0
