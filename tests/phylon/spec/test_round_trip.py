"""A valid spec says the same after a trip through YAML or JSON, whatever it says."""

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from phylon.spec import SpecInvalid, bounds, parse_spec, parse_yaml, spec_to_json, spec_to_yaml, tuned


def pairs(low: float, high: float) -> st.SearchStrategy[list[float]]:
    numbers = st.floats(low, high, allow_subnormal=False)
    return st.lists(numbers, min_size=2, max_size=2, unique=True).map(sorted)


def numbers(low: float, high: float) -> st.SearchStrategy[Any]:
    """Anything that a real hyper-parameter between the bounds may be."""
    return st.one_of(
        st.floats(low, high, allow_subnormal=False),
        pairs(low, high).map(lambda pair: {"uniform": pair}),
        pairs(max(low, 1e-6), high).map(lambda pair: {"log_uniform": pair}),
        st.lists(st.floats(low, high, allow_subnormal=False), min_size=2, max_size=5, unique=True).map(
            lambda values: {"choice": values}
        ),
    )


WHOLE_NUMBERS = st.one_of(
    st.integers(1, 100),
    st.lists(st.integers(1, 100), min_size=2, max_size=2, unique=True).map(lambda pair: {"int_uniform": sorted(pair)}),
)
NAMES = st.from_regex(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}", fullmatch=True)
EXPLORE = st.one_of(
    st.just({"name": "resample"}),
    st.fixed_dictionaries(
        {"name": st.just("perturb")},
        optional={"factors": st.lists(st.floats(0.1, 10), min_size=2, max_size=2), "resample": st.floats(0, 1)},
    ),
)


NETWORKS = st.fixed_dictionaries(
    {"hidden": st.lists(st.integers(1, 512), min_size=1, max_size=8)},
    optional={
        "activation": st.sampled_from(["relu", "elu", "tanh", "gelu", "silu"]),
        "layer_norm": st.sampled_from(["none", "first", "all"]),
        "init": st.sampled_from(["uniform", "orthogonal", "fan_in"]),
    },
)
OF_EVERY_ALGORITHM = {
    "batch_size": st.integers(1, 1024),
    "network": NETWORKS,
    "policy_learning_rate": pairs(1e-6, 1.0).map(lambda pair: {"log_uniform": pair}),
    "discount": numbers(0, 1),
}
OF_ONE = {
    "td3": {"target_noise": numbers(0, 10), "policy_delay": WHOLE_NUMBERS},
    "sac": {"target_entropy_scale": numbers(0, 10), "reward_scale": numbers(0.01, 10)},
    "ddpg": {"exploration_noise": numbers(0, 10)},
}
ALGORITHMS = st.one_of(
    *(st.fixed_dictionaries({"name": st.just(name), **OF_EVERY_ALGORITHM, **own}) for name, own in OF_ONE.items())
)


@st.composite
def specs(draw: st.DrawFn) -> dict[str, Any]:
    """Valid specs: intervals are built as multiples of what they must be multiples of."""
    segment = draw(st.sampled_from([1, 50, 200]))
    evaluation = segment * draw(st.integers(1, 40))
    warmup = segment * draw(st.integers(0, 40))
    return {
        "version": 1,
        "name": draw(NAMES),
        "description": draw(st.text(st.characters(codec="utf-8", exclude_categories=["C"]), max_size=50)),
        "kind": "training",
        "replicates": draw(st.integers(1, 100)),
        "seed": draw(st.integers(0, 2**31 - 1)),
        "environment": {"suite": "gymnasium", "id": draw(st.sampled_from(["Pendulum-v1", "HalfCheetah-v5"]))},
        "algorithm": draw(ALGORITHMS),
        "population": {
            "size": draw(st.integers(4, 100)),
            "method": {
                "name": "pbt",
                "interval": evaluation * draw(st.integers(1, 10)),
                "burn_in": draw(st.integers(0, 10_000)),
                "explore": draw(EXPLORE),
            },
        },
        "replay": {"capacity": draw(st.integers(1024, 10**6)), "warmup": warmup},
        "budget": {"env_steps": warmup + segment * draw(st.integers(1, 1000))},
        "evaluation": {"interval": evaluation},
        "metrics": {"interval": segment * draw(st.integers(1, 100))},
        "checkpoint": {"interval": segment * draw(st.integers(1, 100))},
        "execution": {"segment_steps": segment},
    }


@settings(max_examples=60, deadline=None)
@given(specs())
def test_every_valid_spec_round_trips(raw: dict[str, Any]):
    spec = parse_spec(raw)
    assert parse_yaml(spec_to_yaml(spec)) == spec
    assert parse_spec(json.loads(json.dumps(spec_to_json(spec), allow_nan=False))) == spec
    for name, distribution in tuned(spec.algorithm).items():
        low, high = bounds(distribution)
        assert low < high, name


@settings(max_examples=60, deadline=None)
@given(specs(), st.data())
def test_a_field_that_nobody_knows_is_never_ignored(raw: dict[str, Any], data: st.DataObject):
    """Anywhere in the tree: a misspelt field must not silently leave the default in force."""
    section = data.draw(
        st.sampled_from(["", "environment", "algorithm", "population", "replay", "budget", "execution"])
    )
    (raw[section] if section else raw)["no_such_field"] = 1
    with pytest.raises(SpecInvalid) as caught:
        parse_spec(raw)
    assert f"{section}.no_such_field".lstrip(".") in [problem["path"] for problem in caught.value.problems]
