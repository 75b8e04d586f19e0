"""The dense layer of our own against a plain product, gradients above all."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from phylon.worker.networks.layers import multiply

SHAPES = [
    # rows, inputs, outputs: each way of saving copies is the cheaper one somewhere
    (256, 256, 256),
    (256, 23, 256),
    (256, 256, 6),
    (32, 300, 50),
    (1, 5, 4),
    (64, 3, 1),
]


def draws(*shapes):
    random = np.random.default_rng(0)
    return [jnp.asarray(random.normal(size=shape), jnp.float32) for shape in shapes]


@pytest.mark.parametrize(("rows", "inputs", "outputs"), SHAPES)
def test_values_and_gradients_are_those_of_a_plain_product(rows, inputs, outputs):
    values, weights, given = draws((rows, inputs), (inputs, outputs), (rows, outputs))
    expected, expected_gradients = jax.vjp(lambda values, weights: values @ weights, values, weights)
    found, found_gradients = jax.vjp(multiply, values, weights)
    np.testing.assert_array_equal(found, expected)
    for own, plain in zip(found_gradients(given), expected_gradients(given), strict=True):
        np.testing.assert_allclose(own, plain, rtol=1e-4, atol=1e-4)


def test_no_product_of_a_gradient_reads_a_matrix_transposed():
    """What the copies are for. The compiler would merge them into the products again if it could."""
    values, weights = draws((256, 256), (256, 256))

    def gradients(values, weights):
        return jax.grad(lambda *arguments: jnp.sum(jnp.tanh(multiply(*arguments))), argnums=(0, 1))(values, weights)

    program = jax.jit(gradients).lower(values, weights).compile().as_text()
    products = [line for line in program.splitlines() if " dot(" in line]
    assert len(products) == 3
    assert all("lhs_contracting_dims={1}, rhs_contracting_dims={0}" in line for line in products)


def test_ensembles_in_a_loop_are_what_their_parts_are_alone():
    """As critics are trained: mapped over weights, within a scan, differentiated."""
    values, weights = draws((3, 16, 8), (2, 8, 4))

    def gradients(weights, batches):
        def step(weights, batch):
            return weights, jax.grad(lambda weights: jnp.sum(jnp.square(multiply(batch, weights))))(weights)

        return jax.lax.scan(step, weights, batches)[1]

    together = jax.jit(jax.vmap(gradients, in_axes=(0, None)))(weights, values)
    for part in range(2):
        alone = jax.grad(lambda own: jnp.sum(jnp.square(values[1] @ own)))(weights[part])
        np.testing.assert_allclose(together[part, 1], alone, rtol=1e-4, atol=1e-4)
