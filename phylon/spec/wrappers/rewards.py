"""Wrappers of rewards. Members learn from what they make of them; evaluations measure the environment's own."""

from typing import Annotated, Literal

from pydantic import Field, model_validator
from pydantic_core import PydanticCustomError

from phylon.catalogue.entry import EnvironmentEntry
from phylon.registry.descriptions import WrapperDescription
from phylon.spec.distributions import Model


class ScaleRewardSpec(Model):
    name: Literal["scale_reward"]
    factor: Annotated[float, Field(allow_inf_nan=False)]


class ClipRewardSpec(Model):
    name: Literal["clip_reward"]
    low: float = -1.0
    high: float = 1.0

    @model_validator(mode="after")
    def _has_room(self) -> "ClipRewardSpec":
        if not self.low < self.high:
            raise PydanticCustomError(
                "no_room",
                "rewards between {low} and {high}",
                {"low": self.low, "high": self.high, "remedy": "make low smaller than high"},
            )
        return self


def same(spec: object, entry: EnvironmentEntry) -> EnvironmentEntry:
    """Observations and actions stay as they are."""
    del spec
    return entry


SCALE_REWARD = WrapperDescription(
    spec=ScaleRewardSpec,
    engines={
        "pool": "phylon.worker.environments.wrappers.rewards:scale_reward",
        "functional": "phylon.worker.environments.wrappers.functional:scale_reward",
    },
    summary="Multiplies rewards by `factor` in training.",
    changes=same,
    is_for_training=True,
)

CLIP_REWARD = WrapperDescription(
    spec=ClipRewardSpec,
    engines={
        "pool": "phylon.worker.environments.wrappers.rewards:clip_reward",
        "functional": "phylon.worker.environments.wrappers.functional:clip_reward",
    },
    summary="Cuts rewards off at `low` and `high` (-1 and 1) in training.",
    changes=same,
    is_for_training=True,
)
