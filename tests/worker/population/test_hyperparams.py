import jax
import jax.numpy as jnp
import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from phylon.spec import Choice, IntUniform, LogUniform, TD3Spec, Uniform, bounds, hyperparameters
from phylon.worker.core.errors import EngineError
from phylon.worker.core.keys import member_keys
from phylon.worker.population import sample_hyperparams
from phylon.worker.population.hyperparams import float32_support, prior

TUNED = TD3Spec(
    name="td3",
    policy_learning_rate=LogUniform(log_uniform=(3e-5, 3e-3)),
    critic_learning_rate=LogUniform(log_uniform=(3e-5, 3e-3)),
    discount=Uniform(uniform=(0.9, 1.0)),
    policy_delay=IntUniform(int_uniform=(1, 5)),
    target_noise=Choice(choice=(0.1, 0.4, 0.2)),
)


@pytest.fixture(scope="module")
def founders():
    return sample_hyperparams(jax.random.key(0), TUNED, 2000)


class TestSample:
    def test_every_field_is_there_in_float32(self, founders):
        assert list(founders) == list(hyperparameters(TUNED))
        assert all(values.shape == (2000,) and values.dtype == jnp.float32 for values in founders.values())

    def test_fixed_numbers_are_repeated(self, founders):
        assert set(np.asarray(founders["target_rate"])) == {np.float32(0.005)}

    @pytest.mark.parametrize("name", ["policy_learning_rate", "discount", "policy_delay"])
    def test_the_whole_support_is_used_and_never_left(self, founders, name):
        low, high = bounds(getattr(TUNED, name))
        values = np.asarray(founders[name], np.float64)
        assert low <= values.min()
        assert values.max() <= high
        assert values.min() < low + 0.02 * (high - low)
        assert values.max() > high - 0.02 * (high - low)

    def test_uniform_is_uniform_and_log_uniform_is_so_in_the_logarithm(self, founders):
        share = (np.asarray(founders["discount"]) - 0.9) / 0.1
        orders = np.log10(np.asarray(founders["policy_learning_rate"]) / 3e-5) / 2
        for values in (share, orders):
            assert np.mean(values) == pytest.approx(0.5, abs=0.03)
            assert np.quantile(values, [0.25, 0.75]) == pytest.approx([0.25, 0.75], abs=0.04)

    def test_integers_and_choices_are_equally_likely(self, founders):
        for name, expected in {"policy_delay": [1, 2, 3, 4, 5], "target_noise": np.float32([0.1, 0.2, 0.4])}.items():
            values, counts = np.unique(founders[name], return_counts=True)
            np.testing.assert_array_equal(values, expected)
            np.testing.assert_allclose(counts / 2000, 1 / len(expected), atol=0.05)

    def test_two_fields_with_one_distribution_differ(self, founders):
        left, right = np.asarray(founders["policy_learning_rate"]), np.asarray(founders["critic_learning_rate"])
        assert abs(np.corrcoef(left, right)[0, 1]) < 0.1

    def test_a_member_is_the_same_in_a_smaller_population(self, founders):
        few = sample_hyperparams(jax.random.key(0), TUNED, 3)
        for name, values in few.items():
            np.testing.assert_array_equal(values, founders[name][:3])


class TestPerturb:
    @pytest.mark.parametrize(
        ("distribution", "value", "factor", "expected"),
        [
            (Uniform(uniform=(0.0, 1.0)), 0.5, 1.2, 0.6),
            (Uniform(uniform=(0.0, 1.0)), 0.9, 1.2, 0.95),  # 1.08 is outside: half of the way to the bound
            (Uniform(uniform=(0.5, 1.0)), 0.5625, 0.8, 0.53125),
            (Uniform(uniform=(0.0, 1.0)), 1.0, 1.2, 1.0),  # nothing is left of the way
            (Uniform(uniform=(0.0, 1.0)), 0.0, 1.5, 0.0005),  # as if it were a thousandth of the range
            (Uniform(uniform=(0.0, 1.0)), 0.0, 0.5, 0.0),
            (LogUniform(log_uniform=(1e-5, 1e-3)), 1e-4, 0.8, 8e-5),
            (IntUniform(int_uniform=(1, 100)), 50, 1.2, 60),
            (IntUniform(int_uniform=(1, 100)), 2, 1.2, 3),  # at least one up
            (IntUniform(int_uniform=(1, 100)), 2, 0.8, 1),  # at least one down
            (IntUniform(int_uniform=(1, 100)), 1, 0.8, 1),
            (IntUniform(int_uniform=(1, 100)), 99, 1.2, 100),
            (IntUniform(int_uniform=(1, 100)), 90, 1.2, 95),
            (IntUniform(int_uniform=(100, 120)), 110, 0.8, 105),
            (IntUniform(int_uniform=(1, 100)), 7, 1.0, 7),
            (Choice(choice=(0.1, 0.4, 0.2)), 0.4, 1.2, 0.2),  # the next in the list
            (Choice(choice=(0.1, 0.4, 0.2)), 0.4, 0.8, 0.1),
            (Choice(choice=(0.1, 0.4, 0.2)), 0.2, 1.2, 0.2),  # the last has no next
            (Choice(choice=(0.1, 0.4, 0.2)), 0.1, 0.8, 0.1),
        ],
    )
    def test_by_hand(self, variant, distribution, value, factor, expected):
        moved = variant(prior(distribution).perturb)(jnp.float32(value), jnp.float32(factor))
        assert moved == np.float32(expected)
        assert moved.dtype == jnp.float32

    @pytest.mark.parametrize(
        ("value", "factor", "expected"),
        [(0.96, 1.2, 0.952), (0.96, 0.8, 0.968), (0.92, 1.5, 0.91), (0.998, 0.25, 0.9985), (0.999, 0.8, 0.999)],
    )
    def test_a_number_near_one_moves_as_its_distance_to_one(self, variant, value, factor, expected):
        functions = prior(Uniform(uniform=(0.9, 0.999)), scale="complement")
        moved = variant(functions.perturb)(jnp.float32(value), jnp.float32(factor))
        assert moved == pytest.approx(expected, abs=1e-6)
        assert functions.word(factor) == f"1-x x{factor:g}"

    def test_a_distance_of_zero_to_one_is_left_again(self):
        functions = prior(Uniform(uniform=(0.9, 1.0)), scale="complement")
        assert functions.perturb(jnp.float32(1.0), jnp.float32(1.2)) == pytest.approx(1 - 0.2e-4, abs=1e-7)
        assert functions.perturb(jnp.float32(1.0), jnp.float32(0.8)) == 1.0


finite = st.floats(min_value=0, max_value=1e30, allow_nan=False)


class TestSupport:
    @given(finite, finite)
    def test_the_float32_bounds_lie_inside_the_written_ones(self, one, other):
        low, high = sorted((one, other))
        assume(np.float32(high) / 2 > np.float32(low) and high > 1e-30)
        support = float32_support(Uniform(uniform=(low, high)))
        assert low <= float(support.low) <= float(support.high) <= high

    def test_a_bound_that_float32_would_round_outwards(self):
        """0.1 and 0.9 lie beyond their float32 neighbours: 0.1 rounds up, 0.9 down, 0.7 down, 0.3 up."""
        for low, high in [(0.1, 0.9), (0.7, 0.9), (0.1, 0.3), (0.001, 0.3)]:
            support = float32_support(Uniform(uniform=(low, high)))
            assert low <= float(support.low)
            assert float(support.high) <= high

    @settings(max_examples=30, deadline=None)
    @given(st.integers(0, 2**31 - 1), st.floats(0.01, 100), st.sampled_from([(0.1, 0.3), (0.7, 0.9), (1e-3, 0.1)]))
    def test_no_move_leaves_the_bounds(self, seed, factor, pair):
        low, high = pair
        for distribution in (Uniform(uniform=pair), LogUniform(log_uniform=pair)):
            functions = prior(distribution)
            drawn = jax.vmap(functions.sample)(member_keys(jax.random.key(seed), 16))
            moved = jax.vmap(functions.perturb, in_axes=(0, None))(drawn, jnp.float32(factor))
            for values in (drawn, moved):
                values = np.asarray(values, np.float64)
                assert low <= values.min()
                assert values.max() <= high

    def test_bounds_without_a_float32_number_between_them_are_refused(self):
        with pytest.raises(EngineError, match="no float32 number lies between the bounds"):
            float32_support(Uniform(uniform=(0.1, 0.1 + 1e-12)))

    def test_bounds_beyond_float32_stay_finite_and_positive(self):
        support = float32_support(LogUniform(log_uniform=(1e-60, 1e60)))
        assert 0 < support.low < 1e-37
        assert 1e38 < support.high < np.inf
        drawn = jax.vmap(prior(LogUniform(log_uniform=(1e-60, 1e60))).sample)(member_keys(jax.random.key(0), 100))
        assert np.all((np.asarray(drawn) > 0) & np.isfinite(drawn))
