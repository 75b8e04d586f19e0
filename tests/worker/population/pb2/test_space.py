import jax.numpy as jnp
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from phylon.spec import Choice, IntUniform, LogUniform, Uniform, bounds
from phylon.worker.population.pb2.space import Space, decode_number, encode_categories, encode_numbers

SPACE = Space(
    {
        "linear": Uniform(uniform=(0.1, 0.3)),
        "logarithmic": LogUniform(log_uniform=(1e-5, 1e-3)),
        "whole": IntUniform(int_uniform=(1, 5)),
    },
    {"category": Choice(choice=(0.4, 0.1, 0.2))},
)


def test_numbers_are_scaled_as_their_priors_are():
    values = {
        "linear": [0.1, 0.2, 0.3],
        "logarithmic": [1e-5, 1e-4, 1e-3],
        "whole": [1, 3, 5],
        "category": [0.2, 0.4, 0.1],
    }
    hyperparams = {name: jnp.array(column, jnp.float32) for name, column in values.items()}
    np.testing.assert_allclose(encode_numbers(SPACE, hyperparams), [[0] * 3, [0.5] * 3, [1] * 3], atol=1e-5)
    assert encode_categories(SPACE, hyperparams).tolist() == [[2], [0], [1]]


@pytest.mark.parametrize(("share", "expected"), [(0.0, 1), (0.12, 1), (0.13, 2), (0.5, 3), (1.0, 5)])
def test_whole_numbers_are_rounded_afterwards(share, expected):
    assert decode_number(SPACE.numbers["whole"], jnp.float32(share)) == expected


distributions = st.sampled_from(
    [
        *SPACE.numbers.values(),
        Uniform(uniform=(-0.7, 0.9)),
        Uniform(uniform=(-3e38, 3e38)),
        LogUniform(log_uniform=(1e-30, 1e30)),
        IntUniform(int_uniform=(-3, 1_000_000)),
    ]
)


@settings(max_examples=60, deadline=None)
@given(distributions, st.floats(0, 1, width=32, allow_subnormal=False))
def test_no_place_of_the_box_leaves_the_bounds(distribution, share):
    low, high = bounds(distribution)
    value = decode_number(distribution, jnp.float32(share))
    assert low <= float(value) <= high
    back = encode_numbers(Space({"x": distribution}, {}), {"x": value[None]})[0, 0]
    assert back == pytest.approx(share, abs=0.13 if distribution is SPACE.numbers["whole"] else 1e-3)
