"""A small spec for every installed algorithm, chosen by what its description says it can do."""

from typing import Any

from phylon.catalogue import find
from phylon.registry import algorithms
from phylon.registry.descriptions import AlgorithmDescription
from phylon.spec.algorithms.networks import MLPSpec

SMALL: dict[str, Any] = {"batch_size": 8, "rollout_steps": 10, "epochs": 2, "minibatches": 4}
MLP: dict[str, Any] = {"kind": "mlp", "hidden": [8, 8]}
CNN: dict[str, Any] = {"kind": "cnn", "channels": [4], "kernels": [3], "strides": [2], "hidden": [8]}
VECTORS = {
    "box": ("gymnasium", "Pendulum-v1"),
    "discrete": ("gymnax", "CartPole-v1"),
    "multi_discrete": ("probe", "ActionRewardMultiDiscrete-v0"),
}
IMAGES = ("probe", "ActionRewardImage-v0")


def learners() -> dict[str, tuple[dict[str, Any], dict[str, Any]]]:
    """Environment and algorithm by name; several where an algorithm takes several kinds of actions."""
    found: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {}
    for name, description in algorithms().items():
        for kind in sorted(description.actions) if sees_vectors(description) else ("images",):
            suite, id = description.home or VECTORS.get(kind, IMAGES)
            label = name if len(description.actions) == 1 or kind == "images" else f"{name}-{kind}"
            found[label] = ({"suite": suite, "id": id, "envs_per_member": 2}, small(description))
    return found


def small(description: AlgorithmDescription) -> dict[str, Any]:
    fields = description.spec.model_fields
    algorithm = {"name": description.name} | {field: value for field, value in SMALL.items() if field in fields}
    if "network" in fields:
        algorithm["network"] = MLP if sees_vectors(description) else CNN
    return algorithm


def sees_vectors(description: AlgorithmDescription) -> bool:
    """With a perceptron, where it has a network."""
    pendulum = find(*VECTORS["box"])
    assert pendulum is not None
    spec = description.spec.model_validate({"name": description.name})
    if "network" in description.spec.model_fields:
        spec = spec.model_copy(update={"network": MLPSpec()})
    return description.observes(spec, pendulum.observation) is None
