"""DQN, PPO and DrAC: networks of several kinds, and a hyper-parameter that is a name."""

from typing import Any

import pytest
from pydantic import TypeAdapter, ValidationError

from phylon.spec import AlgorithmSpec, Choice, MLPSpec, SpecInvalid, hyperparameters, parse_spec, tuned
from phylon.spec.algorithms import names_of
from phylon.spec.algorithms.convolutions import CNNSpec, ImpalaSpec
from phylon.spec.algorithms.drac import AUGMENTATION_NAMES, DrACSpec

ADAPTER = TypeAdapter[Any](AlgorithmSpec)


def network_of(name: str, **network: Any) -> Any:
    return ADAPTER.validate_python({"name": name, "network": network}).network


@pytest.mark.parametrize("name", ["dqn", "ppo", "drac"])
def test_a_network_is_of_the_kind_it_says_and_else_an_mlp(name: str):
    assert isinstance(network_of(name, kind="cnn"), CNNSpec)
    assert isinstance(network_of(name, kind="impala"), ImpalaSpec)
    assert isinstance(network_of(name, kind="mlp"), MLPSpec)
    assert isinstance(network_of(name, hidden=[4]), MLPSpec)


@pytest.mark.parametrize(("name", "default"), [("dqn", CNNSpec), ("ppo", MLPSpec), ("drac", ImpalaSpec)])
def test_the_default_is_that_of_the_paper(name: str, default: type):
    assert isinstance(ADAPTER.validate_python({"name": name}).network, default)


def test_what_is_left_unsaid_is_the_algorithms_own():
    assert network_of("ppo", hidden=[4]) == MLPSpec(hidden=(4,), activation="tanh", init="orthogonal")
    assert network_of("ppo", hidden=[4], activation="elu", init="uniform").activation == "elu"
    assert network_of("ppo", kind="cnn").init == "orthogonal"
    assert network_of("ppo", kind="cnn", init="fan_in").init == "fan_in"
    assert network_of("dqn", kind="cnn").init == "uniform"
    assert network_of("dqn", hidden=[4]) == MLPSpec(hidden=(4,))


def test_convolutions_are_described_layer_by_layer():
    with pytest.raises(ValidationError, match="describe 3, 2, 3 layers"):
        network_of("dqn", kind="cnn", kernels=[8, 4])
    shallow = network_of("dqn", kind="cnn", channels=[8], kernels=[3], strides=[1])
    assert shallow.channels == (8,)


def test_an_augmentation_is_a_number_to_the_engine():
    assert names_of(DrACSpec, "augmentation") == AUGMENTATION_NAMES
    assert names_of(DrACSpec, "clip") is None
    fixed = ADAPTER.validate_python({"name": "drac", "augmentation": "flip"})
    assert hyperparameters(fixed)["augmentation"] == 3.0
    tuning = ADAPTER.validate_python({"name": "drac", "augmentation": {"choice": ["color-jitter", "crop"]}})
    assert tuned(tuning) == {"augmentation": Choice(choice=(7.0, 0.0))}


@pytest.mark.parametrize(
    ("algorithm", "environment", "words"),
    [
        ({"name": "drac"}, "Pong-v5", "drac augments square colour images, but Pong-v5 has"),
        ({"name": "drac", "network": {"kind": "mlp"}}, "BigfishEasy-v0", "needs a flat vector"),
        ({"name": "dqn", "observations": {"normalise": True}}, "Pong-v5", "only vectors are normalised"),
        ({"name": "dqn"}, "HalfCheetah-v5", "dqn needs discrete actions"),
    ],
)
def test_an_algorithm_that_does_not_fit_its_environment_is_refused(
    raw: dict[str, Any], algorithm: dict[str, Any], environment: str, words: str
):
    with pytest.raises(SpecInvalid, match=words):
        parse_spec(unlike(raw, algorithm, environment))


def test_drac_fits_procgen(raw: dict[str, Any]):
    spec = parse_spec(unlike(raw, {"name": "drac", "augmentation": {"choice": ["crop", "flip"]}}, "BigfishEasy-v0"))
    assert isinstance(spec.algorithm, DrACSpec)


def unlike(raw: dict[str, Any], algorithm: dict[str, Any], environment: str) -> dict[str, Any]:
    """The sample with another algorithm in another environment, and intervals of whole rollouts."""
    steps = {"evaluation": {"interval": 512}, "metrics": {"interval": 512}, "checkpoint": {"interval": 512}}
    return {
        **{name: raw[name] for name in ("version", "name", "kind")},
        **steps,
        "environment": {"suite": "envpool", "id": environment, "envs_per_member": 2},
        "algorithm": algorithm,
        "population": {"size": 4, "method": {"name": "pbt", "interval": 512}},
        "budget": {"env_steps": 1024},
    }


@pytest.mark.parametrize("name", ["dqn", "ppo", "drac"])
def test_structure_is_told_from_numbers(name: str):
    spec = ADAPTER.validate_python({"name": name})
    structure = {
        *("name", "batch_size", "network", "dueling", "double", "rollout_steps", "epochs", "minibatches", "torsos"),
        *(
            "value_clip",
            "advantage_normalisation",
            "reward_normalisation",
            "observations",
            "learning_rate_decay",
            "n_step",
        ),
    }
    assert set(hyperparameters(spec)) == set(type(spec).model_fields) - structure
