"""Where members live."""

import re
from typing import Annotated, Literal

from pydantic import AfterValidator, Field, JsonValue
from pydantic_core import PydanticCustomError

from phylon.contract.catalogue import Space
from phylon.spec.distributions import Model
from phylon.spec.registered import SuiteName
from phylon.spec.wrappers.union import WrapperSpec

Stepping = Literal["auto", "inline", "processes"]

LEVELS = 2**31 - 1
"""Procgen numbers its levels with 31 bits."""


class AtariSpec(Model):
    """How a game is played for training. Evaluation plays whole games for their true score."""

    life_loss_ends_episode: bool = True
    clip_rewards: bool = True
    """Each reward counts as -1, 0 or 1."""
    idle_starts: Annotated[int, Field(ge=1, le=1000)] = 30
    """A game begins with up to so many steps of doing nothing, so that no two begin alike."""
    sticky_actions: Annotated[float, Field(ge=0, lt=1)] = 0.0
    """How likely the game is to repeat the previous action instead of the chosen one; in evaluation too."""


class ProcgenSpec(Model):
    """The levels for training and for ranking members. Tests and the final evaluation draw from all there are."""

    levels: Annotated[int, Field(ge=0, le=LEVELS)] = 200
    """How many; 0 for all."""
    start_level: Annotated[int, Field(ge=0, le=LEVELS)] = 0
    """The number of the first one."""


MODULE = r"[A-Za-z_]\w*(\.[A-Za-z_]\w*)*"
"""A name that Python can import."""
OWN_ID = re.compile(rf"(?P<module>{MODULE}):(?P<name>[\w./-]+)", re.ASCII)
"""`my_package:MyEnv-v0`: importing the module registers the environment with Gymnasium."""


OptionName = Annotated[str, Field(pattern=r"^[A-Za-z_]\w*$")]


def _names_a_module(id: str) -> str:
    if ":" in id and not OWN_ID.fullmatch(id):
        raise PydanticCustomError(
            "no_module",
            "'{id}' names no module that could be imported",
            {"id": id, "remedy": "write module:Name-v0, e.g. my_package:MyEnv-v0, or an id of the catalogue"},
        )
    return id


class SpacesSpec(Model):
    """What an environment shows and takes, before its wrappers."""

    observation: Space
    action: Space
    max_episode_steps: Annotated[int, Field(ge=1)] | None = None


class EnvironmentSpec(Model):
    suite: SuiteName
    id: Annotated[str, Field(min_length=1, max_length=200), AfterValidator(_names_a_module)]
    """Of the catalogue; or `my_package:MyEnv-v0` for one of your own, where the package is installed: a worker runs the
    modules that its operator allowed, and `phylon train` whatever can be imported."""
    options: Annotated[dict[OptionName, JsonValue], Field(max_length=100, default_factory=dict)]
    """Handed to `gymnasium.make`."""
    wrappers: Annotated[tuple[WrapperSpec, ...], Field(max_length=20)] = ()
    """What lies between the environment and the members: the first one is nearest to the environment."""
    spaces: SpacesSpec | None = None
    """What the environment shows and takes, where no catalogue says so: of your own ones, and with options that change
    it. Filled in where the environment is installed; `phylon check-environment` prints it."""
    envs_per_member: Annotated[int, Field(ge=1, le=256)] = 1
    stepping: Stepping = "auto"
    """Gymnasium only: in the trainer's own process, or spread over processes. The numbers are the same, the speed is
    not; `auto` measures a few steps."""
    atari: AtariSpec | None = None
    """For Atari games of envpool; left out, its defaults hold."""
    procgen: ProcgenSpec | None = None
    """For Procgen games of envpool; left out, its defaults hold."""

    @property
    def module(self) -> str | None:
        """What has to be imported for it; None for an id of the catalogue."""
        return module_of(self.id)


def module_of(id: str) -> str | None:
    found = OWN_ID.fullmatch(id)
    return found["module"] if found else None
