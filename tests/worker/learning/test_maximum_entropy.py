import jax
import jax.numpy as jnp
import pytest

from phylon.worker.learning import soft_policy_loss, soft_q_target, temperature_loss


def arrays(*values):
    return tuple(jnp.array(value) for value in values)


@pytest.mark.parametrize(
    ("q_t", "log_prob_t", "temperature", "r_t", "discount_t", "expected"),
    [
        ([3.0, 2.0], -1.0, 0.5, 1.0, 0.5, 2.25),  # 1 + 0.5 * (2 + 0.5)
        ([3.0, 2.0], 4.0, 0.5, 1.0, 0.5, 1.0),  # 1 + 0.5 * (2 - 2)
        ([3.0, 2.0], -1.0, 0.5, 1.0, 0.0, 1.0),  # terminated: neither value nor entropy to come
        ([-4.0], 2.0, 0.25, 0.5, 0.9, -3.55),  # one critic: 0.5 + 0.9 * (-4 - 0.5)
        ([5.0, -1.0, 2.0], 0.0, 9.0, 0.0, 1.0, -1.0),  # three critics
    ],
)
def test_target(variant, q_t, log_prob_t, temperature, r_t, discount_t, expected):
    target = variant(soft_q_target)(*arrays(q_t, log_prob_t, temperature, r_t, discount_t))
    assert target == pytest.approx(expected)


def test_no_gradient_flows_through_the_target(variant):
    gradients = variant(jax.grad(soft_q_target, argnums=(0, 1, 2)))(*arrays([3.0, 2.0], -1.0, 0.5, 1.0, 0.5))
    assert [gradient.tolist() for gradient in gradients] == [[0.0, 0.0], 0.0, 0.0]


class TestPolicyLoss:
    def test_by_hand(self, variant):
        assert variant(soft_policy_loss)(*arrays([3.0, 2.0], -1.5, 0.2)) == pytest.approx(-2.3)

    def test_gradient_reaches_the_smallest_critic_and_the_log_probability(self, variant):
        by_q, by_log_prob = variant(jax.grad(soft_policy_loss, argnums=(0, 1)))(*arrays([3.0, 2.0], -1.5, 0.2))
        assert by_q.tolist() == [0.0, -1.0]
        assert by_log_prob == pytest.approx(0.2)


class TestTemperatureLoss:
    @pytest.mark.parametrize(("entropy", "expected"), [(-1.0, 2.0), (-3.0, -2.0), (-2.0, 0.0)])
    def test_by_hand(self, variant, entropy, expected):
        """Temperature 2, target -2. The loss is its own gradient by the log-temperature: too much entropy lowers it."""
        loss, gradient = variant(jax.value_and_grad(temperature_loss))(*arrays(0.6931472, entropy, -2.0))
        assert loss == pytest.approx(expected)
        assert gradient == pytest.approx(expected)

    def test_the_policy_is_left_alone(self, variant):
        assert variant(jax.grad(temperature_loss, argnums=1))(*arrays(0.0, -1.0, -2.0)) == 0
