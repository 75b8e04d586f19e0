"""What an algorithm's spec says when it says little."""

from typing import Any

import pytest
from pydantic import TypeAdapter

from phylon.spec import AlgorithmSpec, MLPSpec, SACSpec, hyperparameters, parse_spec, spec_to_json, tuned

ADAPTER = TypeAdapter[Any](AlgorithmSpec)


@pytest.mark.parametrize(("name", "init"), [("td3", "uniform"), ("sac", "fan_in"), ("ddpg", "orthogonal")])
def test_weights_start_as_in_the_algorithms_own_code_unless_the_spec_says_otherwise(name: str, init: str):
    assert ADAPTER.validate_python({"name": name}).network == MLPSpec(init=init)
    assert ADAPTER.validate_python({"name": name, "network": {"hidden": [4]}}).network.init == init
    for other in ("uniform", "orthogonal", "fan_in"):
        assert ADAPTER.validate_python({"name": name, "network": {"init": other}}).network.init == other


def test_the_own_init_holds_for_a_network_built_in_python():
    assert SACSpec(name="sac", network=MLPSpec(hidden=(4,))).network == MLPSpec(hidden=(4,), init="fan_in")


def test_what_is_stored_names_the_init(raw: dict[str, Any]):
    """So that a stored experiment means the same for ever, whatever becomes of the defaults."""
    raw["algorithm"] = {"name": "sac", "discount": {"uniform": [0.9, 0.99]}, "network": {"hidden": [4]}}
    assert spec_to_json(parse_spec(raw))["algorithm"]["network"]["init"] == "fan_in"


def test_structure_is_not_a_number():
    spec = SACSpec(name="sac", temperature="fixed")
    assert "temperature" not in hyperparameters(spec)
    assert "initial_temperature" in hyperparameters(spec)
    assert tuned(spec) == {}
