import jax.numpy as jnp
import pytest

from phylon.worker.learning import polyak_average, smoothed_target_action


@pytest.mark.parametrize(("rate", "expected"), [(0.0, [1.0, 2.0]), (0.25, [1.5, 1.0]), (1.0, [3.0, -2.0])])
def test_polyak_average_moves_by_the_rate(variant, rate, expected):
    target, online = {"w": jnp.array([1.0, 2.0])}, {"w": jnp.array([3.0, -2.0])}
    assert variant(polyak_average)(target, online, jnp.array(rate))["w"].tolist() == pytest.approx(expected)


@pytest.mark.parametrize(
    ("action", "noise", "expected"),
    [
        (0.0, 1.0, 0.2),  # 0.2 * 1
        (0.0, -1.5, -0.3),  # 0.2 * -1.5, right at the clip
        (0.0, 10.0, 0.3),  # noise clipped to 0.3
        (0.0, -10.0, -0.3),
        (0.9, 1.0, 1.0),  # action clipped to 1
        (-0.9, -1.0, -1.0),
    ],
)
def test_smoothing_clips_the_noise_and_then_the_action(variant, action, noise, expected):
    smoothed = variant(smoothed_target_action)(jnp.array([action]), jnp.array([noise]), jnp.array(0.2), jnp.array(0.3))
    assert smoothed.tolist() == pytest.approx([expected])
