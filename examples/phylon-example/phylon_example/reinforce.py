"""REINFORCE as specs see it. No JAX here: the service and the CLI read this file, too."""

import math
from typing import Annotated, Any, ClassVar, Literal

from pydantic import Field

from phylon.catalogue.entry import EnvironmentEntry, Space
from phylon.forecast.networks import action_size
from phylon.forecast.sizes import Learner, Size
from phylon.registry.descriptions import AlgorithmDescription, MemoryDescription, Refusal
from phylon.spec.distributions import LogUniform, Model, Positive, Uniform, UnitInterval


class ReinforceSpec(Model):
    """REINFORCE (Williams 1992) with a linear policy."""

    learns_from: ClassVar[Literal["rollout"]] = "rollout"

    name: Literal["reinforce"]
    rollout_steps: Annotated[int, Field(strict=True, ge=1, le=65536)] = 32
    """Steps of each environment between two updates."""

    learning_rate: Positive = 1.0
    discount: UnitInterval = 0.99


def _weights(entry: EnvironmentEntry) -> int:
    return math.prod(entry.observation.shape) * action_size(entry)


def _learner(spec: ReinforceSpec, entry: EnvironmentEntry, envs_per_member: int) -> Learner:
    """How many numbers a member's weights and its whole state are."""
    del spec, envs_per_member
    return Learner(Size(_weights(entry), action_size(entry)), _weights(entry))


def _whole_rollout(spec: Any, transitions: int) -> int:
    del spec
    return transitions


def _observes(spec: Any, space: Space) -> Refusal | None:
    del spec
    if space.kind == "box" and len(space.shape) == 1:
        return None
    return Refusal("reinforce needs a flat vector of observations", "choose an environment that gives one")


REINFORCE = AlgorithmDescription(
    spec=ReinforceSpec,
    engine="phylon_example.reinforce_engine:reinforce",
    title="REINFORCE",
    summary="Plain policy gradient with a linear policy, for discrete actions.",
    defaults_source="ours, for small problems",
    search_space={
        "learning_rate": LogUniform(log_uniform=(0.1, 10.0)),
        "discount": Uniform(uniform=(0.9, 0.999)),
    },
    search_source="ours: an order of magnitude around the defaults",
    actions=frozenset({"discrete"}),
    memory=MemoryDescription(_learner, _whole_rollout),
    observes=_observes,
    scales={"learning_rate": "log", "discount": "complement"},
)
