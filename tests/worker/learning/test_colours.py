import colorsys
import itertools

import jax.numpy as jnp
import numpy as np

from phylon.worker.learning.colours import hsv_to_rgb, luminance, rgb_to_hsv

GRID = list(itertools.product(np.linspace(0, 1, 6), repeat=3))  # grays, black, white and the pure colours among them


def test_to_hsv_as_the_standard_library_has_it(variant):
    found = variant(rgb_to_hsv)(jnp.array(GRID, jnp.float32))
    np.testing.assert_allclose(found, [colorsys.rgb_to_hsv(*colour) for colour in GRID], atol=1e-5)


def test_from_hsv_as_the_standard_library_has_it(variant):
    found = variant(hsv_to_rgb)(jnp.array(GRID, jnp.float32))
    np.testing.assert_allclose(found, [colorsys.hsv_to_rgb(*colour) for colour in GRID], atol=1e-5)


def test_luminance(variant):
    images = jnp.array([[[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]], [[0.0, 0.0, 1.0], [1.0, 1.0, 1.0]]])
    np.testing.assert_allclose(variant(luminance)(images), [[[0.2989], [0.587]], [[0.114], [0.9999]]], rtol=1e-5)
