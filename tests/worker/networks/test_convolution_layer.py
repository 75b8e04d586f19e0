"""The convolution of our own against the library's, gradients above all."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from phylon.worker.networks.layers import convolve

CASES = [
    # image, side, stride, margin
    ((8, 8), 3, 1, 1),
    ((12, 12), 4, 2, 0),
    ((20, 20), 8, 4, 0),
    ((9, 7), 3, 2, 0),
    ((10, 11), 3, 2, 0),  # the windows do not reach the last row
    ((11, 8), 4, 3, 0),  # nor the last two, nor the last column
    ((5, 6), 3, 2, 1),
    ((4, 4), 4, 1, 0),  # a single window
    ((6, 5), 1, 2, 0),
]


def library(images, kernel, stride, margin):
    axes = ("NHWC", "HWIO", "NHWC")
    return jax.lax.conv_general_dilated(
        images, kernel, (stride, stride), ((margin, margin),) * 2, dimension_numbers=axes
    )


@pytest.mark.parametrize(("size", "side", "stride", "margin"), CASES)
def test_values_and_gradients_are_the_librarys(size, side, stride, margin):
    random = np.random.default_rng(0)
    images = jnp.asarray(random.normal(size=(2, *size, 3)), jnp.float32)
    kernel = jnp.asarray(random.normal(size=(side, side, 3, 4)), jnp.float32)
    expected, expected_gradients = jax.vjp(lambda *inputs: library(*inputs, stride, margin), images, kernel)
    found, found_gradients = jax.vjp(lambda *inputs: convolve(*inputs, stride, margin), images, kernel)
    np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-5)
    given = jnp.asarray(random.normal(size=expected.shape), jnp.float32)
    for own, theirs in zip(found_gradients(given), expected_gradients(given), strict=True):
        np.testing.assert_allclose(own, theirs, rtol=1e-4, atol=1e-4)


def test_members_side_by_side_in_a_loop_are_what_they_are_alone():
    """As strategies run them: mapped over kernels, within a scan, differentiated."""
    random = np.random.default_rng(0)
    images = jnp.asarray(random.normal(size=(2, 3, 4, 8, 8, 2)), jnp.float32)  # [members, steps, n, ...]
    kernels = jnp.asarray(random.normal(size=(2, 3, 3, 2, 4)), jnp.float32)

    def gradients(kernel, images):
        def step(kernel, images):
            gradient = jax.grad(lambda kernel: jnp.sum(jnp.square(convolve(images, kernel, 1, 1))))(kernel)
            return kernel, gradient

        return jax.lax.scan(step, kernel, images)[1]

    together = jax.jit(jax.vmap(gradients))(kernels, images)
    for member in range(2):
        alone = jax.grad(lambda kernel, n=member: jnp.sum(jnp.square(library(images[n, 0], kernel, 1, 1))))(
            kernels[member]
        )
        np.testing.assert_allclose(together[member, 0], alone, rtol=1e-4, atol=1e-3)


@pytest.mark.parametrize("inside", ["forward", "gradient"])
def test_all_convolutions_have_their_axes_in_the_usual_order(inside):
    """What makes them fast in a loop on a CPU; a timing would say so, too, but not always the same."""
    images, kernel = jnp.zeros((2, 8, 8, 3)), jnp.zeros((3, 3, 3, 4))

    def loss(images, kernel):
        return jnp.sum(convolve(images, kernel, 2, 1))

    function = loss if inside == "forward" else jax.grad(loss, argnums=(0, 1))
    text = jax.jit(function).lower(images, kernel).as_text()
    orders = [
        line.split("dim_numbers =")[1].split(",  window")[0] for line in text.splitlines() if "dim_numbers" in line
    ]
    orders = {order.split(" window")[0].strip().rstrip(",") for order in orders}
    assert orders == {"[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]"}
