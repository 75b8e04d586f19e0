"""Every augmentation against the property that defines it, image by image."""

import colorsys
import itertools

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from phylon.spec.algorithms.drac import AUGMENTATION_NAMES
from phylon.worker.execution.compilation import fast_compile_options
from phylon.worker.learning.augmentations import (
    AUGMENTATIONS,
    adjust_colours,
    adjust_contrast,
    augment,
    colour_jitter,
    crop,
    cutout,
    cutout_colour,
    flip,
    grayscale,
    hsv_to_rgb,
    luminance,
    random_convolution,
    rgb_to_hsv,
    rotate,
)

COUNT = 64
GRID = list(itertools.product(np.linspace(0, 1, 6), repeat=3))  # grays, black, white and the pure colours among them
QUICKLY = {"compiler_options": fast_compile_options()}
COMPILED = {function: jax.jit(function, **QUICKLY) for function in AUGMENTATIONS.values()}


@pytest.fixture(scope="module")
def images():
    """No two pixels alike, so that a moved one is known."""
    return jax.random.uniform(jax.random.key(0), (COUNT, 64, 64, 3), minval=0.01, maxval=0.99)


def run(function, images, seed=1):
    return np.asarray(COMPILED[function](jax.random.key(seed), images))


def test_names_and_order_are_those_of_the_spec():
    assert tuple(AUGMENTATIONS) == AUGMENTATION_NAMES


@pytest.mark.parametrize("name", AUGMENTATIONS)
def test_shape_is_kept_and_randomness_is_the_keys(images, name):
    once, again, other = (run(AUGMENTATIONS[name], images, seed) for seed in (1, 1, 2))
    assert once.shape == (COUNT, 64, 64, 3)
    assert once.dtype == np.float32
    np.testing.assert_array_equal(once, again)
    if name != "grayscale":
        assert not np.array_equal(once, other)
    if name != "random-conv":  # whose output has no bounds
        assert once.min() >= 0
        assert once.max() <= 1


@pytest.mark.parametrize("name", [name for name in AUGMENTATIONS if name != "grayscale"])
def test_every_image_has_its_own_draw(images, name):
    same = jnp.broadcast_to(images[:1], images.shape)
    assert len({image.tobytes() for image in run(AUGMENTATIONS[name], same)}) > 1


def test_crop_is_a_shifted_window_with_the_border_drawn_out(images):
    corners = set()
    for before, after in zip(np.asarray(images), run(crop, images), strict=True):
        padded = np.pad(before, ((12, 12), (12, 12), (0, 0)), mode="edge")
        [corner] = [
            (row, column)
            for row in range(25)
            for column in range(25)
            if np.array_equal(padded[row : row + 64, column : column + 64], after)
        ]
        corners.add(corner)
    rows, columns = zip(*corners, strict=True)
    assert min(rows) <= 2 and max(rows) >= 22
    assert min(columns) <= 2 and max(columns) >= 22


def test_crop_reaches_both_ends_of_the_margin(images):
    small = images[:1, :16, :16]  # a margin of 12 * 16 / 64 = 3 pixels
    padded = np.pad(np.asarray(small[0]), ((3, 3), (3, 3), (0, 0)), mode="edge")
    found = run(crop, jnp.broadcast_to(small, (500, 16, 16, 3)))
    windows = {
        (row, column): padded[row : row + 16, column : column + 16].tobytes() for row in range(7) for column in range(7)
    }
    assert {image.tobytes() for image in found} == set(windows.values())


def test_random_convolution_against_a_loop(images):
    """Weights are seen through images with a single lit channel of a single pixel; zero lies beyond the border."""
    weights = np.zeros((COUNT, 3, 3, 3, 3))  # [image, row, column, input, output]
    for channel in range(3):
        dots = jnp.zeros_like(images).at[:, 32, 32, channel].set(1)
        response = run(random_convolution, dots)
        weights[:, :, :, channel] = response[:, 31:34, 31:34][:, ::-1, ::-1]
        assert np.abs(response).sum() == pytest.approx(np.abs(weights[:, :, :, channel]).sum(), rel=1e-4)
    assert weights.std() == pytest.approx((2 / 54) ** 0.5, rel=0.03)
    padded = np.pad(np.asarray(images), ((0, 0), (1, 1), (1, 1), (0, 0)))
    found = run(random_convolution, images)
    for row, column in ((0, 0), (20, 41), (63, 63)):
        expected = np.einsum("nrci,nrcio->no", padded[:, row : row + 3, column : column + 3], weights)
        np.testing.assert_allclose(found[:, row, column], expected, rtol=1e-3, atol=1e-5)


def test_grayscale_has_equal_channels_of_the_luminance(images):
    found = run(grayscale, images)
    np.testing.assert_array_equal(found[..., 0], found[..., 1])
    np.testing.assert_array_equal(found[..., 0], found[..., 2])
    np.testing.assert_allclose(found[..., 0], np.asarray(images) @ [0.2989, 0.587, 0.114], rtol=1e-5)


def test_flip_turns_half_of_the_images_upside_down(images):
    is_flipped = []
    for before, after in zip(np.asarray(images), run(flip, images), strict=True):
        assert np.array_equal(after, before) or np.array_equal(after, before[::-1])
        is_flipped.append(np.array_equal(after, before[::-1]))
    assert 0.3 < np.mean(is_flipped) < 0.7


def test_rotate_makes_each_number_of_quarter_turns(images):
    turns = []
    for before, after in zip(np.asarray(images), run(rotate, images), strict=True):
        [turn] = [turn for turn in range(4) if np.array_equal(np.rot90(before, turn), after)]
        turns.append(turn)
    assert min(np.bincount(turns, minlength=4)) >= 6


def boxes(before, after):
    """Top, left, height and width of each image's changed box, which must be a full one."""
    for old, new in zip(np.asarray(before), after, strict=True):
        changed = (old != new).any(axis=-1)
        rows, columns = np.flatnonzero(changed.any(axis=1)), np.flatnonzero(changed.any(axis=0))
        assert changed.sum() == len(rows) * len(columns)
        yield rows[0], columns[0], len(rows), len(columns)


def test_cutout_blackens_one_box_that_lies_where_the_authors_put_it(images):
    after = run(cutout, images)
    assert np.all((after == 0) | (after == np.asarray(images)))
    heights, widths = set(), set()
    for top, left, height, width in boxes(images, after):
        assert 7 <= height <= 21 and top == 12 + height
        assert 7 <= width <= 21
        assert left == 24 + width or left + width == 64  # the widest ones reach the border
        heights.add(height)
        widths.add(width)
    assert len(heights) > 8 and len(widths) > 8


def test_cutout_colour_paints_one_box_in_one_colour_between_0_and_1(images):
    after = run(cutout_colour, images)
    colours = []
    for image, (top, left, height, width) in zip(after, boxes(images, after), strict=True):
        [colour] = np.unique(image[top : top + height, left : left + width].reshape(-1, 3), axis=0)
        colours.append(colour)
    colours = np.array(colours)
    assert 0 <= colours.min() < 0.2 and 0.8 < colours.max() <= 1
    assert len(np.unique(colours, axis=0)) == COUNT


def test_boxes_scale_with_the_image(images):
    for top, _, height, _ in boxes(images[:, :32, :32], run(cutout, images[:, :32, :32])):
        assert 3 <= height <= 11 and 9 <= top <= 17


class TestColourJitter:
    def test_contrast_by_hand(self, variant):
        images = jnp.array([0.2, 0.4]).reshape(1, 2, 1, 1) * jnp.ones((1, 1, 1, 3))  # mean 0.3
        found = variant(adjust_contrast)(images, jnp.full((1, 1, 1, 1), 1.4))
        np.testing.assert_allclose(found[0, :, 0, 0], [0.16, 0.44], rtol=1e-5)

    def test_colours_by_hand(self, variant):
        """Orange (hue 1/12) turned by a third of the circle is a spring green; half as saturated, half as bright."""
        orange = jnp.array([1.0, 0.5, 0.0]).reshape(1, 1, 1, 3)
        turn, half = jnp.full((1, 1, 1, 1), 1 / 3), jnp.full((1, 1, 1, 1), 0.5)
        found = variant(adjust_colours)(orange, turn, half, half)
        np.testing.assert_allclose(found[0, 0, 0], [0.25, 0.5, 0.375], atol=1e-5)

    def test_nothing_changed_is_the_image_itself(self, images):
        one = jnp.ones((COUNT, 1, 1, 1))
        np.testing.assert_allclose(adjust_colours(images, 0 * one, one, one), images, atol=1e-5)
        np.testing.assert_allclose(adjust_contrast(images, one), images, atol=1e-5)

    def test_all_parts_reach_the_image_within_their_limits(self):
        """Seen on images of one colour, which contrast leaves alone: brightness is the largest channel's factor."""
        colour = np.array([0.5, 0.3, 0.25], np.float32)
        after = run(colour_jitter, jnp.broadcast_to(jnp.array(colour), (500, 4, 4, 3)))[:, 0, 0]
        brightness = after.max(axis=1) / 0.5
        saturation = (1 - after.min(axis=1) / after.max(axis=1)) / 0.5
        for factor in (brightness, saturation):
            assert 0.59 < factor.min() < 0.65 and 1.35 < factor.max() < 1.41
        assert len(set(after.argmax(axis=1))) == 3  # the hue turns far enough for each channel to lead

    def test_contrast_comes_first_or_last(self):
        """Saturating brightness and contrast do not commute, so both orders show."""
        images = jnp.broadcast_to(jnp.array([0.1, 1.0]).reshape(1, 2, 1, 1), (400, 2, 1, 3))
        after = run(colour_jitter, images)[:, :, 0, 0]  # grays: hue and saturation do nothing
        assert np.any(after[:, 1] < 0.6 * 0.64 + 0.55 * 0.4) and np.any(after[:, 1] == 1)


def test_the_number_chooses_the_augmentation_and_another_one_is_no_other_program(images):
    traces = []

    def traced(choice, key, images):
        traces.append(choice)
        return augment(choice, key, images)

    compiled = jax.jit(traced, **QUICKLY)
    for number, function in enumerate(AUGMENTATIONS.values()):
        found = compiled(jnp.float32(number), jax.random.key(1), images)
        np.testing.assert_allclose(found, run(function, images), rtol=1e-4, atol=1e-5)
    assert len(traces) == 1


def test_members_with_different_choices_share_a_program(images):
    choices, keys = jnp.arange(8, dtype=jnp.float32), jax.random.split(jax.random.key(1), 8)
    together = jax.jit(jax.vmap(augment, in_axes=(0, 0, None)), **QUICKLY)(choices, keys, images)
    for number, function in enumerate(AUGMENTATIONS.values()):
        alone = COMPILED[function](jax.random.split(jax.random.key(1), 8)[number], images)
        np.testing.assert_allclose(together[number], alone, rtol=1e-4, atol=1e-5)


def test_to_hsv_as_the_standard_library_has_it(variant):
    found = variant(rgb_to_hsv)(jnp.array(GRID, jnp.float32))
    np.testing.assert_allclose(found, [colorsys.rgb_to_hsv(*colour) for colour in GRID], atol=1e-5)


def test_from_hsv_as_the_standard_library_has_it(variant):
    found = variant(hsv_to_rgb)(jnp.array(GRID, jnp.float32))
    np.testing.assert_allclose(found, [colorsys.hsv_to_rgb(*colour) for colour in GRID], atol=1e-5)


def test_luminance(variant):
    images = jnp.array([[[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]], [[0.0, 0.0, 1.0], [1.0, 1.0, 1.0]]])
    np.testing.assert_allclose(variant(luminance)(images), [[[0.2989], [0.587]], [[0.114], [0.9999]]], rtol=1e-5)
